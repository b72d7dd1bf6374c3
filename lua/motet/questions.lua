-- Questions to the human: one after the other, and none while keys are typed that would answer it.
local api = vim.api
local M = {}

local waiting = {} ---@type { number: integer, kind: string, prompt: string, options: string[] }[]
local asked ---@type integer?  the number of the question that stands
local is_told = false

local emit = require("motet.events").emit

local function data(one)
  return { kind = one.kind, text = one.prompt }
end

local put ---@type fun()

local function answer(one)
  return function(value)
    asked = asked ~= one.number and asked or nil
    require("motet.process").tell("answered", one.number, value)
    emit("Answered", data(one))
    vim.schedule(put)
  end
end

-- Who types would answer without knowing it: what takes keys waits until that is over.
local function is_typing()
  local mode = api.nvim_get_mode()
  return mode.blocking or not (mode.mode == "n" or mode.mode == "nt")
end

-- By whatever the human has put in the place of Neovim's own, which may fail.
local function show(one, done)
  if one.kind == "type" then
    vim.ui.input({ prompt = one.prompt .. " " }, done)
  else
    vim.ui.select(one.options, { prompt = one.prompt, kind = "motet" }, function(_, index)
      done(index and index - 1 or nil)
    end)
  end
end

function put()
  if asked or #waiting == 0 then
    return
  elseif is_typing() then
    if not is_told then
      is_told = true
      require("motet.notice").tell("something is asked; it waits until you have typed", vim.log.levels.WARN)
    end
    return
  end
  local one = table.remove(waiting, 1)
  asked, is_told = one.number, false
  local done = answer(one)
  local is_shown, why = pcall(show, one, done)
  if not is_shown then
    require("motet.notice").tell(("the question could not be shown: %s"):format(why), vim.log.levels.ERROR)
    if asked == one.number then
      done(nil)
    end
  end
end

---Ask question `number`: to type something, or to choose one of `options`.
---@param text string[]
function M.ask(number, kind, text, options)
  local one = { number = number, kind = kind, prompt = table.concat(text, "\n"), options = options }
  waiting[#waiting + 1] = one
  emit("Asked", data(one))
  vim.schedule(put)
end

---Nobody wants to know any more: who asked has been stopped.
function M.withdraw(number)
  waiting = vim.tbl_filter(function(one)
    return one.number ~= number
  end, waiting)
  if asked == number then
    asked = nil
    vim.schedule(put)
  end
end

---The program has gone.
function M.lost()
  waiting, asked = {}, nil
end

api.nvim_create_autocmd("ModeChanged", {
  group = api.nvim_create_augroup("motet.questions", {}),
  callback = function()
    if #waiting > 0 then
      vim.schedule(put)
    end
  end,
})

return M
