-- Completion in drafts. It is asked for and answered by notifications: what comes too late, or for another place, is
-- left away.
local api = vim.api
local process = require("motet.process")
local M = {}

M.COMMAND = "motet command" -- marks items that are done when they are taken

local asked = 0
local place, typed ---@type integer?, string?  buffer of the question, and its line up to the cursor
local taker, is_answered ---@type (fun(replaced: integer, rows: string[][]))?, boolean

M.has_source = false -- a completion plugin asks, so that no menu comes by itself

---Ask what can stand behind `text`, the draft of the chat in `chat_buf` up to the cursor. `takes` gets the answer in the
---place of the menu, at least once: nothing, when a newer question comes before; again, when more has become known.
function M.ask(chat_buf, text, takes)
  M.begin(takes)
  process.tell("complete", chat_buf, asked, text)
end

---The same in the draft of the board whose page is in `board_buf`.
function M.ask_board(board_buf, text, takes)
  M.begin(takes)
  process.tell("board", "complete", board_buf, asked, text)
end

local function before_cursor()
  return api.nvim_get_current_line():sub(1, api.nvim_win_get_cursor(0)[2])
end

---A new question is asked here.
function M.begin(takes)
  if taker and not is_answered then
    taker(0, {})
  end
  asked, place, taker, is_answered = asked + 1, api.nvim_get_current_buf(), takes, false
  typed = before_cursor()
end

---Ask at the cursor of a chat's or a board's draft; see `M.ask`. False where nothing can be asked.
function M.here(takes)
  local boards = package.loaded["motet.board"]
  local on_board = boards and boards.find(api.nvim_get_current_buf())
  return require(on_board and "motet.board" or "motet.chat").complete(takes)
end

---Whether something that can be completed ends at the cursor.
function M.is_wanted()
  return not M.has_source and before_cursor():match("[#@/][^%s]*$") ~= nil
end

---The answer to question `number`: rows of word, what is shown of it, a description, and whether it is a command that
---is done as soon as it is taken; for the last `replaced` bytes before where the cursor was.
function M.completed(_, number, replaced, rows)
  if number == asked and taker then
    is_answered = true
    local is_here = api.nvim_get_current_buf() == place
    return taker(is_here and replaced or 0, is_here and rows or {})
  end
  if number ~= asked or #rows == 0 or api.nvim_get_current_buf() ~= place or not api.nvim_get_mode().mode:match("^i") then
    return
  elseif typed ~= before_cursor() then
    return -- more was typed, which is no name any more: there is no newer question
  end
  local column = api.nvim_win_get_cursor(0)[2] - replaced + 1
  local items = vim.tbl_map(function(row)
    return { word = row[1], abbr = row[2], menu = row[3], icase = 1, dup = 1, user_data = row[4] and M.COMMAND or nil }
  end, rows)
  if column >= 1 then
    vim.fn.complete(column, items)
  end
end

---A command was taken in `buf`: where it is all that is typed, it is done.
function M.run(buf)
  local row, column = unpack(api.nvim_win_get_cursor(0))
  if row == api.nvim_buf_line_count(buf) and column == #api.nvim_get_current_line() then
    vim.schedule(function()
      if api.nvim_get_current_buf() == buf then
        require("motet.chat").send(buf)
      end
    end)
  end
end

---Something was completed in `buf`.
function M.done(buf)
  if vim.v.event.reason == "accept" and vim.v.completed_item.user_data == M.COMMAND then
    M.run(buf)
  end
end

---For 'omnifunc': nothing at once, the menu when it is known.
function M.omnifunc(findstart)
  if findstart == 1 then
    vim.schedule(function()
      M.here()
    end)
    return -3
  end
  return {}
end

return M
