-- Boards: a live page, and below it a draft. Posts are stored by the program; what is typed here is only a draft.
local api = vim.api
local complete = require("motet.complete")
local document = require("motet.document")
local draft = require("motet.draft")
local layout = require("motet.layout")
local page = require("motet.board_page")
local process = require("motet.process")

local M = {}

local group = api.nvim_create_augroup("motet.board", {})
local PREFIX = "motet://board/"

---@class motet.Board
---@field buf integer
---@field name string
---@field status table
---@field open boolean       the program was told of it
---@field known boolean      the program has it open
---@field key string         of the draft: the same text under it is posted once
---@field sending table[]    `text`, `key`, `edits`: sent, and not known to be stored
---@field edits? string      the post whose new text the draft is
---@field under? string      what was typed before that
---@field note? integer      buffer of the draft
M.by_buf = {} ---@type table<integer, motet.Board>
M.latest = nil ---@type integer?

---The board of a buffer: its page's, or its draft's.
function M.find(buf)
  local owner = draft.owner(buf)
  return M.by_buf[buf] or owner and M.by_buf[owner.buf]
end

---The board that is used here, or was last.
function M.current()
  return M.find(api.nvim_get_current_buf()) or M.by_buf[M.latest]
end

M.emit = require("motet.events").emit

local function tell(...)
  return process.tell("board", ...)
end

local function new_key()
  local bytes = { (vim.uv.random(12) or tostring(vim.uv.hrtime())):byte(1, -1) }
  return table.concat(vim.tbl_map(function(byte) return ("%02x"):format(byte) end, bytes))
end

-- --- the draft -------------------------------------------------------------------------------------------------------

---Have what is typed stored now.
function M.keep(board)
  if M.by_buf[board.buf] == board and board.known then
    tell("draft", board.buf, draft.text(board), board.key, board.edits or "", board.under or "")
  end
end

local function keep_soon(board)
  draft.keep_soon(board, M.keep)
end

---Make the draft `text`, with an undo history that begins here.
function M.set_draft(board, text)
  local lines = vim.split(text, "\n", { plain = true })
  if board.note and api.nvim_buf_is_loaded(board.note) then
    document.quietly({ buf = board.note }, function()
      api.nvim_buf_set_lines(board.note, 0, -1, false, lines)
    end)
  else
    board.left = lines
  end
  keep_soon(board)
end

---Put `text` above what is typed.
function M.give_back(board, text)
  local typed = draft.text(board)
  M.set_draft(board, typed == "" and text or text .. "\n\n" .. typed)
end

local function bar_of(board)
  return board.edits and " new text of your post: <CR> sends it, <C-c> leaves it" or " draft: <CR> posts"
end

function M.show_draft_bar(board)
  board.draft_bar = bar_of(board)
  for _, win in ipairs(board.note and vim.fn.win_findbuf(board.note) or {}) do
    vim.wo[win][0].winbar = board.draft_bar
  end
end

local function prepare(board)
  return function(buf)
    require("motet.typing").hear(group, buf, {
      typed = function() keep_soon(board) end,
      complete = M.complete,
      send = function() M.send(board) end,
    })
    vim.bo[buf].omnifunc = "v:lua.require'motet.complete'.omnifunc"
    vim.bo[buf].completeopt = "menuone,noselect"
    api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI" }, { group = group, buffer = buf, callback = function()
      M.latest = board.buf
      M.revive(board)
    end })
    require("motet.board_keys").map(buf, board, true)
  end
end

---Go to the draft. `insert`: and begin to type.
function M.say_here(insert)
  local board = M.find(api.nvim_get_current_buf())
  if board then
    draft.open(board, prepare(board))
    if insert then
      vim.cmd("startinsert!")
    end
  end
end

local function post(board, one)
  tell("post", board.buf, one.text, one.key, one.edits)
end

---Post the draft.
function M.send(board)
  local text = draft.text(board)
  vim.cmd.stopinsert()
  if text == "" then
    require("motet.notice").tell("nothing is typed", vim.log.levels.INFO)
    return
  end
  M.revive(board)
  local one = { text = text, key = board.key, edits = board.edits or "" }
  board.sending[#board.sending + 1] = one
  local under = board.under or ""
  board.key, board.edits, board.under = new_key(), nil, nil
  M.set_draft(board, under)
  M.show_draft_bar(board)
  if board.known then
    post(board, one)
  end
end

---What was sent under `key` is the program's no more; gives it.
function M.sent(board, key)
  for index, one in ipairs(board.sending) do
    if one.key == key then
      return table.remove(board.sending, index)
    end
  end
end

---Have the human's last post changed in the draft; what is typed there comes back behind that.
function M.edit(board, id, text)
  if not board.edits then
    board.under = draft.text(board)
  end
  board.edits, board.key = id, new_key()
  draft.open(board, prepare(board))
  M.set_draft(board, text)
  M.show_draft_bar(board)
end

---Leave the post as it is.
function M.drop_edit(board)
  if board.edits then
    local under = board.under or ""
    board.edits, board.under, board.key = nil, nil, new_key()
    M.set_draft(board, under)
    M.show_draft_bar(board)
  end
end

---Put `text` where the cursor is in the draft.
function M.insert(board, text)
  draft.open(board, prepare(board))
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local line = api.nvim_get_current_line()
  column = math.min(column + (line == "" and 0 or 1), #line)
  api.nvim_buf_set_text(0, row - 1, column, row - 1, column, { text })
  api.nvim_win_set_cursor(0, { row, column + #text })
  vim.cmd("startinsert!")
end

---Complete at the cursor of the draft; see `motet.complete`.
function M.complete(takes)
  local here = api.nvim_get_current_buf()
  local board = M.find(here)
  if board and board.known and here == board.note then
    local row, column = unpack(api.nvim_win_get_cursor(0))
    local text = table.concat(api.nvim_buf_get_text(here, 0, 0, row - 1, column, {}), "\n")
    complete.ask_board(board.buf, text, takes)
    return true
  end
  return false
end

-- --- the page --------------------------------------------------------------------------------------------------------

---The human has seen the end of the page, or will have in a moment.
function M.look(board)
  if (board.status.unread or 0) > 0 and not board.looking then
    board.looking = true
    vim.defer_fn(function()
      board.looking = false
      local is_new = (board.status.unread or 0) > 0 and board.told ~= board.status.last
      if is_new and M.by_buf[board.buf] == board and page.is_seen(board) then
        board.told = board.status.last
        tell("seen", board.buf, board.status.last)
      end
    end, 100)
  end
end

local function moved(board)
  M.latest = board.buf
  M.revive(board)
  M.look(board)
  if board.known and not board.reading and (board.older or 0) > 0 and page.is_at_top(board) then
    board.reading = true
    tell("older", board.buf)
  end
end

local function hear(board)
  local buf = board.buf
  local function on(events, act)
    api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = act })
  end
  on({ "CursorMoved", "BufEnter" }, function()
    moved(board)
  end)
  on("BufWinEnter", function()
    page.style(api.nvim_get_current_win())
  end)
  on("BufWriteCmd", function(args)
    if args.file == api.nvim_buf_get_name(buf) then
      M.send(board)
    else
      require("motet.export").write(buf, args.file)
    end
  end)
  on("BufUnload", function()
    M.forget(buf)
  end)
  on("WinClosed", vim.schedule_wrap(function()
    if M.by_buf[buf] and #vim.fn.win_findbuf(buf) == 0 and board.note then -- its draft goes with it, and stays typed
      for _, win in ipairs(vim.fn.win_findbuf(board.note)) do
        pcall(api.nvim_win_close, win, true)
      end
    end
  end))
end

api.nvim_create_autocmd("WinScrolled", { group = group, callback = function()
  local board = M.by_buf[api.nvim_get_current_buf()]
  if board then
    moved(board)
  end
end })

-- Make `buf` the page of a board.
local function adopt(buf, name)
  local board = { buf = buf, name = name, status = {}, open = false, known = false, key = new_key(), sending = {} }
  M.by_buf[buf], M.latest = board, buf
  api.nvim_clear_autocmds({ group = group, buffer = buf })
  local bo = vim.bo[buf]
  bo.buftype, bo.bufhidden, bo.swapfile, bo.modeline, bo.buflisted = "acwrite", "hide", false, false, false
  bo.modifiable = false
  page.begin(board, function()
    tell("redraw", buf)
  end)
  hear(board)
  bo.filetype = "motetboard"
  require("motet.look").start(buf)
  require("motet.board_keys").map(buf, board, false)
  draft.lead(board, true, "require('motet.board').say_here()")
  M.show_draft_bar(board)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    page.style(win)
  end
  board.open = tell("open", buf, name)
  return board
end

---`:edit motet://board/…`, or a session: that board in this buffer.
function M.read(buf, name)
  local board = M.by_buf[buf]
  if board then
    tell("redraw", buf)
  else
    adopt(buf, name:sub(#PREFIX + 1))
  end
end

-- The buffer of a board, which may be new.
local function buffer(name)
  for buf, board in pairs(M.by_buf) do
    if board.name == name then
      return buf
    end
  end
  local buf = api.nvim_create_buf(false, false)
  require("motet.opening").name_it(buf, PREFIX .. name)
  return buf
end

---Show a board, and go to its draft. Gives the buffer of its page.
function M.open(name, position)
  local latest = M.by_buf[M.latest]
  local buf = buffer(name or latest and latest.name or "general")
  local shown = vim.fn.bufwinid(buf)
  if shown ~= -1 and not position then
    api.nvim_set_current_win(shown)
  else
    layout.show(buf, position or require("motet").options.board.layout)
  end
  local board = M.by_buf[buf] or adopt(buf, name or "general")
  page.style(api.nvim_get_current_win())
  M.revive(board)
  draft.open(board, prepare(board))
  return buf
end

---Show a board beside what the human does.
function M.show(name)
  local buf = buffer(name)
  if vim.fn.bufwinid(buf) == -1 then
    local width = math.floor(vim.o.columns * 0.45)
    local win = api.nvim_open_win(buf, false, { split = "right", win = -1, width = width })
    local _ = M.by_buf[buf] or adopt(buf, name)
    page.style(win)
  end
end

---The buffer has gone: what is typed is kept.
function M.forget(buf)
  local board = M.by_buf[buf]
  if board then
    draft.forget(board)
    M.keep(board)
    if board.open then
      tell("close", buf)
    end
    M.by_buf[buf], board.gone, board.known = nil, true, false
    M.latest = M.latest ~= buf and M.latest or next(M.by_buf)
    vim.schedule(function()
      draft.take(board)
    end)
  end
end

---Have the program open a board again that it has not, or not any more.
function M.revive(board)
  if not board.open then
    board.open = tell("open", board.buf, board.name)
  end
end

---The program has the board open; what was sent to one that has ended is sent again.
function M.attached(board, status)
  board.known, board.status, board.told = true, status, nil
  for _, one in ipairs(board.sending) do
    post(board, one)
  end
  if draft.text(board) ~= "" then
    keep_soon(board)
  end
end

---The program has gone: drafts stay, and the next use opens the boards again.
function M.lost()
  for _, board in pairs(M.by_buf) do
    board.open, board.known, board.reading = false, false, false
  end
  vim.cmd("redrawstatus!")
end

---How many posts nobody has seen here; nil: no board is open.
function M.unread()
  local count
  for _, board in pairs(M.by_buf) do
    count = (count or 0) + (board.status.unread or 0)
  end
  return count
end

---The bar above a page; it is asked for in the window that it is of.
function M.winbar()
  local board = M.by_buf[api.nvim_get_current_buf()]
  if not board then
    return ""
  end
  local status = board.status
  local parts = { board.name }
  if (status.unread or 0) > 0 then
    parts[2] = ("%d unread"):format(status.unread)
  end
  if #board.sending > 0 then
    parts[#parts + 1] = ("posting %d"):format(#board.sending)
  end
  if not board.known then
    parts[#parts + 1] = board.open and "opening" or "not connected"
  end
  local right = status.me and ("%d here · %s"):format(status.people, status.me) or ""
  return require("motet.bar").compose(table.concat(parts, " · "), right)
end

---Post `text`; what is typed stays as it is.
function M.say(board, text)
  local one = { text = text, key = new_key(), edits = "" }
  board.sending[#board.sending + 1] = one
  M.revive(board)
  if board.known then
    post(board, one)
  end
end

return M
