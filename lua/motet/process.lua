-- The Python half: found, started once when it is first needed, and told what happens.
local M = {}

local job, ready ---@type integer?, boolean
local root ---@type string?  of the project
local waiting = {} ---@type any[][]
local last_words = "" -- what it wrote where errors go
local unheard ---@type uv.uv_timer_t?  while it has not answered
local has_said_why -- it cannot serve, and has told so

local function notice(text)
  require("motet.notice").tell(text, vim.log.levels.ERROR)
end

-- Where a program of the machine is. Directories of PATH that depend on where one is do not count: what lies in a project
-- is not started because it has the right name.
local function on_path(name)
  for _, directory in ipairs(vim.split(vim.env.PATH or "", ":", { plain = true })) do
    local path = vim.fs.joinpath(directory, name)
    if vim.startswith(directory, "/") and vim.fn.executable(path) == 1 then
      return path
    end
  end
end

---The command line of the program, or nil.
---@return string[]?
function M.program()
  local named = vim.g.motet_command
  if named then
    return type(named) == "table" and vim.deepcopy(named) or { named }
  end
  local found = on_path("motet")
  if found then
    return { found }
  end
  local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")
  local own = here .. "/.venv/bin/motet"
  return vim.fn.executable(own) == 1 and { own } or nil
end

-- The version of a program that says one, told to `use`; nil of another.
local function version_of(program, use)
  local argv = vim.list_extend(vim.deepcopy(program), { "--version" })
  local ok = pcall(vim.system, argv, { text = true, timeout = 5000 }, vim.schedule_wrap(function(done)
    use(done.code == 0 and done.stdout:match("^motet (%S+)") or nil)
  end))
  if not ok then
    use(nil)
  end
end

-- It never answered: it is too old to know `nvim`, or no motet at all, or something is wrong with it.
local function tell_unheard(program, how)
  local own = require("motet.version")
  version_of(program, function(found)
    local name = table.concat(program, " ")
    if found and found ~= own then
      local text = "%s is version %s, this plugin %s: update the older one, as by `uv tool upgrade motet` (:checkhealth motet)"
      notice(text:format(name, found, own))
    elseif found then
      notice(("%s nvim %s (:checkhealth motet)"):format(name, how))
    else
      notice(("%s nvim %s; is that motet? `uv tool install motet`, or set g:motet_command (:checkhealth motet)"):format(name, how))
    end
  end)
end

local function stop_listening()
  if unheard then
    unheard:stop()
    unheard:close()
    unheard = nil
  end
end

-- Neovim closes a channel on which no messages come without a word, and the program may go on for ever.
local function listen()
  unheard = assert(vim.uv.new_timer())
  unheard:start(200, 200, vim.schedule_wrap(function()
    if unheard and job and not pcall(vim.rpcnotify, job, "hello") then
      stop_listening()
      vim.fn.jobstop(job)
    end
  end))
end

local function ended(program, code)
  local was_ready, had, was_closed = ready, #waiting > 0, not unheard
  stop_listening()
  job, ready = nil, false
  waiting = {}
  if vim.v.exiting ~= vim.NIL then
    return
  end
  require("motet.chat").lost()
  require("motet.review").lost()
  require("motet.writing").lost()
  require("motet.questions").lost()
  if package.loaded["motet.board"] then
    require("motet.board").lost()
  end
  local why = vim.trim(last_words):match("[^\n]*$")
  local how = ("ended (exit code %d)%s"):format(code, why ~= "" and ": " .. why or "")
  if was_ready and (had or code ~= 0) then
    notice("it has " .. how)
  elseif not was_ready and not has_said_why then
    tell_unheard(program, was_closed and "writes what no program for Neovim does" or how)
  end
end

local function start()
  local program = M.program()
  if not program then
    notice("the program `motet` is not on PATH: `uv tool install motet`, or set g:motet_command (:checkhealth motet)")
    return false
  end
  last_words, has_said_why = "", false
  local ok, id = pcall(vim.fn.jobstart, vim.list_extend(vim.deepcopy(program), { "nvim" }), {
    rpc = true,
    on_exit = function(_, code)
      ended(program, code)
    end,
    on_stderr = function(_, lines)
      last_words = (last_words .. table.concat(lines, "\n")):sub(-4000)
    end,
  })
  if not ok or id <= 0 then
    notice(("%s cannot be started (:checkhealth motet)"):format(program[1]))
    return false
  end
  job, ready = id, false
  listen()
  vim.api.nvim_create_autocmd("VimLeave", {
    group = vim.api.nvim_create_augroup("motet.process", {}),
    callback = function()
      M.tell("leave") -- the last word: the program ends what runs, and keeps what it was told
    end,
  })
  return true
end

---Tell the program something; it is started if it does not run. False when it cannot be.
---@return boolean
function M.tell(...)
  if not job and not start() then
    return false
  end
  if ready then
    return (pcall(vim.rpcnotify, job, ...))
  end
  waiting[#waiting + 1] = { ... }
  return true
end

---Have the next use start the program anew, with the settings as they are then. Not while a turn runs.
function M.renew()
  if not ready then
    return
  end
  for _, chat in pairs(require("motet.chats").by_buf) do
    if chat.busy then
      require("motet.notice").tell("a turn runs; what was set holds from the next start of the editor on", vim.log.levels.INFO)
      return
    end
  end
  M.tell("leave")
end

---Whether the program runs and has answered.
function M.is_ready()
  return ready == true
end

---Where the project of the program begins; nil before the program has answered.
---@return string?
function M.root()
  return root
end

-- The program stays with the project in which it was started; who goes to another one hears so, once.
local function tell_when_left()
  local was_left = false
  vim.api.nvim_create_autocmd("DirChanged", {
    group = "motet.process",
    pattern = "global",
    callback = function()
      local here = vim.uv.fs_realpath(vim.fn.getcwd(-1, -1)) or vim.fn.getcwd(-1, -1)
      local is_left = here ~= root and not vim.startswith(here, vim.fs.joinpath(root, ""))
      if is_left and not was_left then
        local text = ("it stays with the project %s; for another one open an editor there"):format(root)
        require("motet.notice").tell(text, vim.log.levels.WARN)
      end
      was_left = is_left
    end,
  })
end

---The program has answered.
function M.ready(its_root)
  stop_listening()
  ready, root = true, its_root
  tell_when_left()
  local told = waiting
  waiting = {}
  for _, one in ipairs(told) do
    pcall(vim.rpcnotify, job, unpack(one))
  end
end

---The program cannot serve, as its settings are now: the next use starts it anew.
function M.failed()
  has_said_why = true
  stop_listening()
  vim.fn.jobstop(job)
end

---The process id, or nil.
function M.pid()
  return job and vim.fn.jobpid(job) or nil
end

return M
