-- Where the blocks of a transcript begin, by their markers, and folds over those that are read seldom. Nothing here is
-- done for a block that still grows. Rows count from 0.
local api = vim.api
local M = {}

local ns = api.nvim_create_namespace("motet.blocks")
local FOLDED = { context = true, reasoning = true, call = true, result = true, output = true }
local OPEN = { context = true }
local TURNS = { me = true, motet = true }
local kinds = {} ---@type table<integer, table<integer, string>>  of the extmarks of a buffer

---The lines from `first` to `last` are about to be replaced.
function M.clear(buf, first, last)
  api.nvim_buf_clear_namespace(buf, ns, first, last)
end

---These lines stand at `row` now.
function M.lines(chat, row, lines)
  local opening = "<!-- motet " .. chat.nonce .. " "
  for index, line in ipairs(lines) do
    if line:byte(1) == 60 and vim.startswith(line, opening) then
      local kind, size = line:match("^(%l+) (%S+)", #opening + 1)
      if kind then
        local id = api.nvim_buf_set_extmark(chat.buf, ns, row + index - 1, 0, {})
        kinds[chat.buf] = kinds[chat.buf] or {}
        kinds[chat.buf][id] = kind
        if FOLDED[kind] and size ~= "-" then
          chat.finished = chat.finished or {}
          chat.finished[#chat.finished + 1] = id
        end
      end
    end
  end
end

local function lines_at(buf, row)
  return api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
end

-- First and last line of a block, from 1, without its marker and the blank lines behind it.
local function range(chat, row)
  local after = api.nvim_buf_get_extmarks(chat.buf, ns, { row + 1, 0 }, -1, { limit = 1 })[1]
  local last = after and after[2] or chat.head
  while last > row + 1 and (lines_at(chat.buf, last - 1) or "") == "" do
    last = last - 1
  end
  return row + 2, last
end

-- Only in windows that fold by hand: others have folds of the human's own.
local function fold_in(win, chat, ids)
  if vim.wo[win].foldmethod ~= "manual" then
    return
  end
  api.nvim_win_call(win, function()
    for _, id in ipairs(ids) do
      local row = api.nvim_buf_get_extmark_by_id(chat.buf, ns, id, {})[1]
      local first, last = range(chat, row or 0)
      if row and last > first then
        vim.cmd(("%d,%dfold"):format(first, last))
        if OPEN[kinds[chat.buf][id]] then
          vim.cmd(("silent! %dfoldopen"):format(first))
        end
      end
    end
  end)
end

---Fold the blocks that are finished now, in each window that shows them.
function M.fold(chat)
  local ids = chat.finished
  chat.finished = nil
  for _, win in ipairs(ids and vim.fn.win_findbuf(chat.buf) or {}) do
    fold_in(win, chat, ids)
  end
end

---Make the folds of a window that shows the chat from now on.
function M.fold_window(win, chat)
  local ids = {}
  for _, mark in ipairs(kinds[chat.buf] and api.nvim_buf_get_extmarks(chat.buf, ns, 0, -1, {}) or {}) do
    local line = lines_at(chat.buf, mark[2]) or ""
    if FOLDED[kinds[chat.buf][mark[1]]] and not line:match("^<!%-%- motet %S+ %l+ %- ") then
      ids[#ids + 1] = mark[1]
    end
  end
  if #ids > 0 then
    api.nvim_win_call(win, function()
      vim.cmd("silent! normal! zE")
    end)
    fold_in(win, chat, ids)
  end
end

---What a closed fold shows.
function M.foldtext()
  local count = vim.v.foldend - vim.v.foldstart
  return ("%s · %d line%s"):format(vim.fn.getline(vim.v.foldstart), count, count == 1 and "" or "s")
end

---The row at which the block around `row` begins, and the one behind its end.
function M.around(chat, row)
  local before = api.nvim_buf_get_extmarks(chat.buf, ns, { row, 0 }, 0, { limit = 1 })[1]
  local after = api.nvim_buf_get_extmarks(chat.buf, ns, { row + 1, 0 }, -1, { limit = 1 })[1]
  if row >= chat.head then
    return chat.head, api.nvim_buf_line_count(chat.buf)
  end
  return before and before[2] or 0, after and after[2] or chat.head
end

---The number of the human's turn at `row`, from 1; 0: the draft.
function M.turn(chat, row)
  local turn = 0
  for _, mark in ipairs(row < chat.head and api.nvim_buf_get_extmarks(chat.buf, ns, 0, { row, 0 }, {}) or {}) do
    turn = turn + (kinds[chat.buf][mark[1]] == "me" and 1 or 0)
  end
  return turn
end

---Rows at which all blocks begin, and the draft.
function M.starts(chat)
  local rows = vim.tbl_map(function(mark)
    return mark[2]
  end, api.nvim_buf_get_extmarks(chat.buf, ns, 0, -1, {}))
  rows[#rows + 1] = chat.head
  return rows
end

---Rows of the headings of all turns, and of the draft's.
function M.headings(chat)
  local rows = {}
  for _, mark in ipairs(api.nvim_buf_get_extmarks(chat.buf, ns, 0, -1, {})) do
    if TURNS[(kinds[chat.buf] or {})[mark[1]]] then
      rows[#rows + 1] = mark[2] + 1
    end
  end
  rows[#rows + 1] = chat.head
  return rows
end

---The buffer has gone.
function M.forget(buf)
  kinds[buf] = nil
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
end

return M
