-- motet in the stream bench: the functions that every driver there has.
local M = {}

local root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")
local settings = [[
model = "bench/%s"
[providers.bench]
base_url = "%s/v1"
dialect = "openai"
context_tokens = 4000000
[permissions]
allow = ["send"]
[chat]
titles = false
]]
local buf, said = nil, 0

function M.setup(cfg)
  local place = vim.env.XDG_CONFIG_HOME .. "/motet"
  vim.fn.mkdir(place, "p")
  vim.fn.writefile(vim.split(settings:format(cfg.model or "m", cfg.url), "\n"), place .. "/config.toml")
  vim.g.motet_command = { root .. "/.venv/bin/motet" }
  vim.api.nvim_create_autocmd("User", {
    pattern = "MotetEnded",
    callback = function()
      said = said - 1
    end,
  })
end

function M.open()
  buf = require("motet").open({ new = true })
end

function M.ready()
  return require("motet.process").is_ready() and require("motet").status().state == "ready"
end

function M.submit(text)
  said = said + 1
  require("motet").send(text)
end

function M.done()
  return said == 0
end

function M.chat_bufnr()
  return buf
end

return M
