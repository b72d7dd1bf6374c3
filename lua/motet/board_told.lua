-- What the program tells of boards.
local api = vim.api
local boards = require("motet.board")
local draft = require("motet.draft")
local notices = require("motet.board_notices")
local page = require("motet.board_page")

local M = {}

local function on(act)
  return function(buf, ...)
    local board = boards.by_buf[buf]
    if board and api.nvim_buf_is_loaded(buf) then
      act(board, ...)
    end
  end
end

local function take(board, status)
  board.status, board.reading = status, false
  boards.look(board)
  vim.cmd("redrawstatus!")
end

-- The board that `board` is to show is in another buffer already, under a name that means the same.
local function shown_elsewhere(board)
  for other, one in pairs(boards.by_buf) do
    if one ~= board and one.id == board.id then
      for _, win in ipairs(vim.fn.win_findbuf(board.buf)) do
        api.nvim_win_set_buf(win, other)
      end
      boards.give_back(one, draft.take(board))
      pcall(api.nvim_buf_delete, board.buf, { force = true })
      return true
    end
  end
  return false
end

M.attached = on(function(board, status, id)
  board.was_known, board.id = board.id ~= nil, id
  if not shown_elsewhere(board) then
    board.name = status.board
    require("motet.opening").name_it(board.buf, "motet://board/" .. status.board)
    boards.attached(board, status)
    boards.emit("BoardOpened", { buf = board.buf, board = board.name, me = status.me })
  end
end)

---What was typed here before. Where the buffer has been open since, what stands in it is newer.
M.typed = on(function(board, text, key, edits, under)
  if board.was_known then
    return
  end
  local now = draft.text(board)
  if now == "" then
    board.key, board.edits, board.under = key, edits ~= "" and edits or nil, under
    boards.set_draft(board, text)
    boards.show_draft_bar(board)
  else -- begun before the board was there
    boards.set_draft(board, text .. "\n\n" .. now)
  end
end)

M.status = on(take)

M.news = on(function(board, new, changed, status)
  take(board, status)
  if #new > 0 then
    boards.emit("BoardPosts", { buf = board.buf, board = board.name, posts = new })
  end
  if #changed > 0 then
    boards.emit("BoardChanged", { buf = board.buf, board = board.name, posts = changed })
  end
end)

---What was sent is stored.
M.posted = on(function(board, key, post)
  boards.sent(board, key)
  vim.cmd("redrawstatus!")
  boards.emit("BoardPosted", { buf = board.buf, board = board.name, post = post })
end)

---What was sent cannot be posted: it is typed again.
M.returned = on(function(board, key)
  local one = boards.sent(board, key)
  if one then
    if draft.text(board) == "" then
      board.key, board.edits = one.key, one.edits ~= "" and one.edits or nil
    end
    boards.give_back(board, one.text)
    boards.show_draft_bar(board)
    boards.emit("BoardReturned", { buf = board.buf, board = board.name })
  end
end)

M.kept = on(function(board, text)
  vim.b[board.buf].motet_kept = text
  boards.emit("BoardKept", { buf = board.buf })
end)

M.edit = on(function(board, id, _, text)
  boards.edit(board, id, text)
end)

M.mention = on(function(board, text)
  boards.insert(board, text)
end)

M.say = on(function(board, text)
  boards.say(board, text)
end)

---The board could not be opened; the next use tries again.
function M.unopened(buf)
  local board = boards.by_buf[buf]
  if board then
    board.open, board.known, board.reading = false, false, false
  end
end

---The program reads along no more.
M.stopped = on(function(board, text)
  board.open, board.known = false, false
  notices.tell(text, vim.log.levels.ERROR)
end)

function M.alert(alert)
  notices.alert(alert)
end

---Let the human say which of several chains goes on, or ends.
function M.choose(go_on, rows)
  vim.ui.select(rows, {
    prompt = go_on and "continue" or "stop",
    kind = "motet",
    format_item = function(row) return row[2] end,
  }, function(row)
    if row then
      require("motet.process").tell("board", "decide", go_on, row[1])
    end
  end)
end

function M.draw(buf, ops)
  local board = boards.by_buf[buf]
  return board ~= nil and api.nvim_buf_is_loaded(buf) and page.draw(board, ops)
end

return M
