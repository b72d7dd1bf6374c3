-- The least that motet needs, for reports of defects: nvim --clean -u minimal.lua
local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
vim.opt.runtimepath:prepend(here)
vim.cmd.runtime("plugin/motet.lua")
