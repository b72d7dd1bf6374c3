-- The page of a board: drawn, never typed. Rows count from 0.
local api = vim.api
local document = require("motet.document")
local look = require("motet.look")
local M = {}

local ns = api.nvim_create_namespace("motet.board")
local above = api.nvim_create_namespace("motet.board.older")
local states = api.nvim_create_namespace("motet.board.states")

for name, link in pairs({
  MotetBoardHead = "Title", MotetBoardTakenBack = "Comment", MotetBoardMention = "IncSearch", MotetBoardOther = "Special",
}) do
  api.nvim_set_hl(0, name, { link = link, default = true })
end

---Make `board.buf` a page, with `first`, the row of its first post, once it is drawn. `redraw` has it drawn anew.
function M.begin(board, redraw)
  api.nvim_buf_attach(board.buf, false, {
    on_lines = function(_, buf)
      if board.gone or board.buf ~= buf then
        return true
      elseif not board.drawing and not board.mending then -- somebody else, in spite of all
        board.mending = true
        vim.schedule(function()
          board.mending = false
          redraw()
        end)
      end
    end,
  })
end

---A window that shows a page from now on.
function M.style(win)
  local wo = vim.wo[win][0]
  wo.wrap, wo.linebreak, wo.breakindent, wo.conceallevel = true, true, true, 0
  wo.number, wo.relativenumber, wo.signcolumn, wo.foldcolumn = false, false, "no", "0"
  wo.winbar = "%{%v:lua.require'motet.board'.winbar()%}"
end

-- How many posts are not on the page, below what stands above all posts.
local function say_older(board, many)
  board.older = many
  api.nvim_buf_clear_namespace(board.buf, above, 0, -1)
  if many > 0 and board.first then
    local text = ("… %d older posts"):format(many)
    api.nvim_buf_set_extmark(board.buf, above, board.first - 2, 0, { virt_lines = { { { text, "MotetState" } } } })
  end
end

-- What became of the post whose head is at `row`: in front of a byte of it, beside the text.
local function say_state(board, row, column, text)
  api.nvim_buf_clear_namespace(board.buf, states, row, row + 1)
  if text ~= "" then
    api.nvim_buf_set_extmark(board.buf, states, row, column, {
      virt_text = { { text, "MotetState" } }, virt_text_pos = "inline", strict = false,
    })
  end
end

local function show(board, row, lines, starts, marks, beside)
  look.posts(board.buf, row, lines, starts)
  for _, one in ipairs(beside) do
    say_state(board, row + one[1], one[2], one[3])
  end
  if require("motet").options.board.highlight then
    for _, mark in ipairs(marks) do
      api.nvim_buf_set_extmark(board.buf, ns, row + mark[1], mark[2], {
        end_col = mark[3], hl_group = mark[4], priority = 200, strict = false,
      })
    end
  end
end

local function apply(board, op)
  local buf = board.buf
  if op[1] == "put" then
    local _, row, last, lines, starts, marks, beside = unpack(op)
    api.nvim_buf_clear_namespace(buf, ns, row, last)
    api.nvim_buf_clear_namespace(buf, states, row, last)
    api.nvim_buf_set_lines(buf, row, last, true, lines)
    show(board, row, lines, starts, marks, beside)
  elseif op[1] == "all" then
    local _, lines, starts, marks, beside, older = unpack(op)
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    api.nvim_buf_clear_namespace(buf, states, 0, -1)
    api.nvim_buf_set_lines(buf, 0, -1, true, lines)
    look.posts(buf, 0, lines, vim.list_extend({ 0 }, starts))
    show(board, 0, lines, starts, marks, beside)
    board.first = starts[1] or #lines + 1 -- where the first post's head is, or will be
    say_older(board, older)
  elseif op[1] == "state" then
    say_state(board, op[2], op[3], op[4])
  else
    say_older(board, op[2])
  end
end

-- Where each window stands. `follows`: at the end.
local function views(board)
  local found, last = {}, api.nvim_buf_line_count(board.buf)
  for _, win in ipairs(vim.fn.win_findbuf(board.buf)) do
    local view = api.nvim_win_call(win, vim.fn.winsaveview)
    found[win] = { follows = view.lnum == last, view = view, moved = 0 }
  end
  return found
end

-- An op makes the lines above what a window shows more or fewer.
local function note(seen, op)
  for _, one in pairs(seen) do
    if op[1] == "all" then
      one.restored = true
    elseif op[1] == "put" and op[3] < one.view.topline + one.moved then
      one.moved = one.moved + #op[4] - (op[3] - op[2])
    end
  end
end

-- A window at the end stays there; any other one shows the lines that it showed.
local function settle(board, seen)
  for win, one in pairs(seen) do
    if one.follows then
      api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(board.buf), 0 })
    elseif one.restored or one.moved ~= 0 then
      one.view.topline, one.view.lnum = one.view.topline + one.moved, one.view.lnum + one.moved
      api.nvim_win_call(win, function()
        vim.fn.winrestview(one.view)
      end)
    end
  end
end

---Draw a frame; false when it could not be drawn whole.
function M.draw(board, ops)
  local seen = views(board)
  local done = document.quietly(board, function()
    for _, op in ipairs(ops) do
      note(seen, op)
      apply(board, op)
    end
  end)
  if done then
    settle(board, seen)
  end
  return done
end

---Whether the human sees the end of the page.
function M.is_seen(board)
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if api.nvim_win_get_buf(win) == board.buf and vim.fn.line("w$", win) >= api.nvim_buf_line_count(board.buf) then
      return true
    end
  end
  return false
end

---Whether a window shows the first post that is on the page.
function M.is_at_top(board)
  return board.first ~= nil and vim.fn.line("w0") <= board.first + 1
end

---Go to the next head of a post, or to the one before.
function M.jump(forward)
  vim.fn.search("^## ", forward and "W" or "bW")
end

return M
