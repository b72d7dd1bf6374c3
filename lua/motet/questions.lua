-- Questions to the human: one after the other, and no key that was meant for something else answers one.
local api = vim.api
local emit = require("motet.events").emit

local M = {}

---Milliseconds without a key after which a question that is shown takes the keys.
M.quiet = 500

local ns = api.nvim_create_namespace("motet.questions")
local timer = assert(vim.uv.new_timer())
local waiting = {} ---@type motet.Question[]
local current ---@type motet.Question?  the one that stands
local view ---@type table?  its window, while it is shown
local takes_keys, is_told = false, false

local function data(one)
  local lines = { one.head }
  for _, row in ipairs(one.rows) do
    lines[#lines + 1] = (row[1] ~= "" and row[1] .. ": " or "  ") .. row[2]
  end
  return { kind = one.kind, text = table.concat(lines, "\n") }
end

-- Who types would answer without knowing it.
local function is_typing()
  local mode = api.nvim_get_mode()
  local types = mode.blocking or not (mode.mode == "n" or mode.mode == "nt")
  return types or vim.fn.getcmdwintype() ~= "" or vim.fn.reg_recording() ~= "" or vim.fn.reg_executing() ~= ""
end

local function hide()
  if view then
    view:close()
  end
  view = nil
end

local step ---@type fun(is_quiet: boolean)

-- Until the next look; a key begins the wait anew.
local function wait()
  timer:start(M.quiet, 0, vim.schedule_wrap(function()
    step(true)
  end))
end

local function watch_keys(is_on)
  vim.on_key(is_on and function(_, typed)
    if typed ~= "" and current and not takes_keys then
      wait()
    end
  end or nil, ns)
end

-- The question is over: by an answer, or because nobody wants to know any more.
local function over()
  hide()
  timer:stop()
  watch_keys(false)
  current, takes_keys = nil, false
  vim.schedule(function()
    step(false)
  end)
end

local function answered(one, value)
  if current ~= one then
    return
  end
  over()
  if one.kind == "choose" then
    value = value or one.safe
    value = value and value - 1
  elseif one.kind == "mark" then
    value = value and vim.tbl_map(function(index)
      return index - 1
    end, value)
  end
  require("motet.process").tell("answered", one.number, value)
  emit("Answered", data(one))
end

-- What is asked is shown when nobody types, and takes the keys when none has come for a while: those go where they were
-- meant to go.
function step(is_quiet)
  if not current then
    current = table.remove(waiting, 1)
    if not current then
      return
    end
    watch_keys(true)
  end
  if takes_keys then
    return
  end
  local one = current
  if is_typing() then
    hide()
    if not is_told then
      is_told = true
      require("motet.notice").tell("something is asked; it waits until you have typed", vim.log.levels.WARN)
    end
    wait()
  elseif not view then
    is_told = false
    local is_shown, shown = pcall(require("motet.question_window").show, one, function(value)
      answered(one, value)
    end)
    if is_shown then
      view = shown
      wait()
    else
      require("motet.notice").tell(("the question could not be shown: %s"):format(shown), vim.log.levels.ERROR)
      answered(one, nil)
    end
  elseif view:is_elsewhere() then
    hide()
    step(false)
  elseif is_quiet then
    takes_keys = true
    watch_keys(false)
    view:focus()
  end
end

---Ask question `number`: to choose one of `answers`, of which `safe` (from 0) does no harm, to mark several, or to type
---something.
---@param kind "choose"|"mark"|"type"
---@param head string
---@param rows string[][]      label and text
---@param answers string[][]   key and label
---@param safe integer?
function M.ask(number, kind, head, rows, answers, safe)
  local one = { number = number, kind = kind, head = head, rows = rows, answers = answers }
  one.safe = type(safe) == "number" and safe + 1 or nil
  waiting[#waiting + 1] = one
  emit("Asked", data(one))
  vim.schedule(function()
    step(false)
  end)
end

---Nobody wants to know any more: who asked has been stopped.
function M.withdraw(number)
  waiting = vim.tbl_filter(function(one)
    return one.number ~= number
  end, waiting)
  if current and current.number == number then
    over()
  end
end

---The program has gone.
function M.lost()
  waiting = {}
  if current then
    over()
  end
end

api.nvim_create_autocmd("ModeChanged", {
  group = api.nvim_create_augroup("motet.questions", {}),
  callback = function()
    if #waiting > 0 or (current and not takes_keys) then
      vim.schedule(function()
        step(false)
      end)
    end
  end,
})

return M
