-- `:checkhealth motet`: both halves found, and of one version; what the program finds; what completes and picks.
local M = {}

local function program_version(program)
  local argv = vim.list_extend(vim.deepcopy(program), { "--version" })
  local ok, job = pcall(vim.system, argv, { text = true, timeout = 10000 })
  local done = ok and job:wait() or { code = -1, stdout = "" }
  return done.code == 0 and done.stdout:match("^motet (%S+)") or nil
end

-- What `motet doctor` finds, by the mark of each line: Python, keys (by name), servers, sandbox.
local function doctor(program)
  local argv = vim.list_extend(vim.deepcopy(program), { "doctor" })
  local ok, job = pcall(vim.system, argv, { text = true, timeout = 20000, env = { NO_COLOR = "1" } })
  local said = ok and job:wait().stdout or ""
  vim.health.start("motet doctor")
  for line in said:gmatch("[^\n]+") do
    local mark, text = line:match("^(%S+) +(.*)$")
    if mark == "✓" then
      vim.health.ok(text)
    elseif mark == "✗" then
      vim.health.error(text)
    else
      vim.health.info(mark == "·" and text or line)
    end
  end
  if said == "" then
    vim.health.warn("it says nothing; try it in a terminal: " .. table.concat(argv, " "))
  end
end

-- Who completes in chats, and who picks.
local function plugins()
  local found = package.loaded["blink.cmp"] and "blink.cmp" or package.loaded.cmp and "nvim-cmp"
  local has_source = require("motet.complete").has_source
  if found and not has_source then
    vim.health.info(found .. " does not ask the source of motet: motet's own menu completes (:help motet-completion)")
  else
    vim.health.ok("completion: " .. (has_source and "a plug-in, by the source of motet" or "motet's own menu"))
  end
  local own = type(require("motet").options.picker) == "function"
  vim.health.ok("picker: " .. (own and "your own" or "motet's"))
end

function M.check()
  local health = vim.health or require("health") -- as it was called before 0.8
  if vim.fn.has("nvim-0.11") == 0 then -- whose functions have other names
    local start, fail = health.start or health.report_start, health.error or health.report_error
    start("motet")
    fail(require("motet.old").line())
    return
  end
  health.start("motet")
  health.ok("Neovim " .. tostring(vim.version()))
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
  plugins()
  if found then
    doctor(program)
  end
end

return M
