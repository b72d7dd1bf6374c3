-- `:checkhealth motet`: both halves found, and of one version.
local M = {}

local function program_version(program)
  local argv = vim.list_extend(vim.deepcopy(program), { "--version" })
  local ok, job = pcall(vim.system, argv, { text = true, timeout = 10000 })
  local done = ok and job:wait() or { code = -1, stdout = "" }
  return done.code == 0 and done.stdout:match("^motet (%S+)") or nil
end

function M.check()
  local health = vim.health
  health.start("motet")
  if vim.fn.has("nvim-0.11") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim 0.11 or newer is needed, this is " .. tostring(vim.version()))
  end
  local program = require("motet.process").program()
  if not program then
    health.error("the program `motet` is not found", {
      "uv tool install motet, or pipx install motet",
      'or say where it is: vim.g.motet_command = { "/path/to/motet" }',
    })
    return
  end
  local found, own = program_version(program), require("motet.version")
  local name = table.concat(program, " ")
  if not found then
    health.error(name .. " does not run", { "try it in a terminal: " .. name .. " --version" })
  elseif found ~= own then
    health.warn(("%s is version %s, this plugin %s"):format(name, found, own), { "update the older one" })
  else
    health.ok(("%s, version %s"):format(name, found))
  end
  health.info("models, keys and servers: `motet doctor` in a terminal")
end

return M
