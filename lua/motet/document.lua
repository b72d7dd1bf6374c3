-- The buffer of one chat: the transcript above, which is drawn and never typed, and the draft below it, which is typed
-- and never drawn. Rows count from 0.
local api = vim.api
local blocks = require("motet.blocks")
local look = require("motet.look")
local mentions = require("motet.mentions")
local M = {}

local HEAD = { "## Me", "" }
local ns = api.nvim_create_namespace("motet.draft")

---@class motet.Chat
---@field buf integer
---@field mark integer      extmark on the draft's heading
---@field head integer      its row, as last drawn
---@field from integer      row of the draft's first line
---@field typed string[]    the draft's lines
---@field busy boolean      a turn runs: nothing in this buffer can be typed
---@field drawing boolean   what changes now is ours
---@field damage? "head"|"all"  of the transcript, by somebody else
---@field before? string[]  the draft before the command that runs
---@field frozen? boolean   what the draft's lines are now is not known: they stay as they were
---@field looking? boolean  a change by somebody else will be looked at
---@field spot? integer[]    where the cursor was in the draft last: line of it, from 1, and column
---@field nonce string      of the markers
---@field block? boolean    a context block stands at the head of the draft

---The row of the draft's heading.
function M.row(chat)
  return api.nvim_buf_get_extmark_by_id(chat.buf, ns, chat.mark, {})[1]
end

local function lines_of(text)
  return vim.split(text, "\n", { plain = true })
end

---What is typed, without trailing blank space.
function M.text(chat)
  local lines = chat.typed
  if not chat.damage and api.nvim_buf_is_loaded(chat.buf) then
    lines = api.nvim_buf_get_lines(chat.buf, M.row(chat) + #HEAD, -1, false)
  end
  return (table.concat(lines, "\n"):gsub("%s+$", ""))
end

---The draft from its beginning to the cursor of this window; nil when that is above it.
function M.before_cursor(chat)
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local first = M.row(chat) + #HEAD
  if row - 1 >= first then
    return table.concat(api.nvim_buf_get_text(chat.buf, first, 0, row - 1, column, {}), "\n")
  end
end

local doing ---@type fun()

---For `quietly`: changes that leave the human's marks and list of changes alone are those of a command that says so.
function M.do_it()
  doing()
end

---Change `chat.buf` without the human's undo history, which begins anew, and without moving anything of theirs. False and
---why when that was broken off.
function M.quietly(chat, change)
  local bo = vim.bo[chat.buf]
  local levels, modifiable = bo.undolevels, bo.modifiable
  bo.modifiable, bo.undolevels, chat.drawing = true, -1, true
  doing = change
  local done, why = pcall(vim.cmd, "keepjumps lua require('motet.document').do_it()")
  bo.undolevels, bo.modifiable, bo.modified, chat.drawing = levels, modifiable, false, false
  return done, why
end

-- The heading stands at `row` now, and the draft below it.
local function settle(chat, row)
  chat.mark = api.nvim_buf_set_extmark(chat.buf, ns, row, 0, {
    id = chat.mark, right_gravity = true, end_row = row, end_col = #HEAD[1], hl_group = "MotetHeading", strict = false,
  })
  chat.head, chat.from, chat.damage, chat.frozen = row, row + #HEAD, nil, nil
  chat.typed = api.nvim_buf_get_lines(chat.buf, chat.from, -1, false)
end

---The transcript cannot be typed in: the buffer is modifiable where the draft is, while no turn runs.
function M.guard(chat)
  if api.nvim_get_current_buf() == chat.buf and not chat.damage then
    local row, column = unpack(api.nvim_win_get_cursor(0))
    local in_draft = row > chat.from
    vim.bo[chat.buf].modifiable = in_draft and not chat.busy
    chat.spot = in_draft and { row - chat.from, column } or chat.spot
  end
end

-- Put `lines` in the place of those from `first` to `last`, where they differ.
local function replace(buf, first, last, lines)
  local have, from, to = api.nvim_buf_get_lines(buf, first, last, false), 1, 0
  while from <= #have and from <= #lines and have[from] == lines[from] do
    from = from + 1
  end
  while #have - to >= from and #lines - to >= from and have[#have - to] == lines[#lines - to] do
    to = to + 1
  end
  if from <= #have - to or from <= #lines - to then
    api.nvim_buf_set_lines(buf, first + from - 1, first + #have - to, false, vim.list_slice(lines, from, #lines - to))
  end
end

---Put `text` in the place of the draft, with an undo history that begins here.
function M.set_text(chat, text)
  local row = M.row(chat)
  M.quietly(chat, function()
    replace(chat.buf, row, -1, vim.list_extend(vim.deepcopy(HEAD), lines_of(text)))
  end)
  settle(chat, row)
end

---Put `lines` in the place of the context block at the head of the draft; none: there is no block. That is a change of
---the draft like one of the human's, who may take it back.
function M.set_block(chat, lines)
  local from = M.row(chat) + #HEAD
  local have, count = api.nvim_buf_get_lines(chat.buf, from, -1, false), 0
  while chat.block and have[count + 1] and vim.startswith(have[count + 1], ">") do
    count = count + 1
  end
  count = count > 0 and have[count + 1] == "" and count + 1 or count
  local block = #lines > 0 and vim.list_extend(vim.deepcopy(lines), { "" }) or {}
  chat.block = #lines > 0
  if not vim.deep_equal(vim.list_slice(have, 1, count), block) then
    vim.bo[chat.buf].modifiable = true
    if count == #have then
      block[#block + 1] = ""
    end
    api.nvim_buf_set_lines(chat.buf, from, from + count, false, block)
    vim.bo[chat.buf].modified = false
    M.guard(chat)
  end
end

---The undo history begins anew.
function M.forget_undo(chat)
  M.quietly(chat, function()
    local last = api.nvim_buf_line_count(chat.buf) - 1
    api.nvim_buf_set_lines(chat.buf, last, -1, false, api.nvim_buf_get_lines(chat.buf, last, -1, false))
  end)
end

-- The draft's heading was changed, or no line of the draft is left: that is made good as a part of the same change,
-- so that undo takes both back.
local function mend_head(chat)
  local have = api.nvim_buf_get_lines(chat.buf, chat.head, chat.head + #HEAD + 1, false)
  if #have > #HEAD and have[1] == HEAD[1] and have[2] == HEAD[2] then
    settle(chat, chat.head) -- an undo, on its way
    return
  end
  chat.drawing = true
  api.nvim_buf_call(chat.buf, function()
    vim.bo.modifiable = true
    pcall(vim.cmd.undojoin)
    replace(chat.buf, chat.head, -1, vim.list_extend(vim.deepcopy(HEAD), chat.typed))
  end)
  chat.drawing = false
  settle(chat, chat.head)
end

-- The transcript was changed: that is undone, and what cannot be undone is drawn anew. The draft is as it was.
local function mend_all(chat)
  local typed = vim.list_extend(vim.deepcopy(HEAD), chat.typed)
  if not chat.busy and api.nvim_get_mode().mode == "n" then
    chat.drawing = true
    api.nvim_buf_call(chat.buf, function()
      vim.bo.modifiable = true
      vim.cmd("silent! undo!")
    end)
    chat.drawing = false
  end
  local row = M.row(chat)
  if row ~= chat.head or not vim.deep_equal(api.nvim_buf_get_lines(chat.buf, row, -1, false), typed) then
    row = math.min(chat.head, api.nvim_buf_line_count(chat.buf))
    M.quietly(chat, function()
      api.nvim_buf_set_lines(chat.buf, row, -1, false, typed)
    end)
  end
  settle(chat, row)
end

---Make good what others did to the transcript.
local function mend(chat, redraw)
  if not chat.damage or not api.nvim_buf_is_loaded(chat.buf) then
    return
  end
  if chat.damage == "all" then
    mend_all(chat)
    redraw()
  else
    mend_head(chat)
  end
  if api.nvim_get_current_buf() == chat.buf and api.nvim_win_get_cursor(0)[1] <= chat.from then
    local line, column = unpack(chat.spot or { #chat.typed, 0 })
    api.nvim_win_set_cursor(0, { chat.from + math.min(line, #chat.typed), column })
  end
  vim.bo[chat.buf].modified = false
  M.guard(chat)
end

-- The lines from `first` to `last` are those up to `new` now, by somebody else's hand.
local function changed(chat, first, last, new)
  local from = chat.from
  if chat.damage == "all" or chat.frozen then
    return
  elseif first < chat.head then
    chat.damage, chat.typed = "all", chat.before or chat.typed
    return
  elseif first < from and chat.damage then
    chat.frozen = true
    return
  end
  local typed, into = chat.typed, api.nvim_buf_get_lines(chat.buf, first, new, false)
  if first >= from and last == new then
    for index, line in ipairs(into) do
      typed[first - from + index] = line
    end
  elseif first >= from then
    local kept = vim.list_slice(typed, 1, first - from)
    chat.typed = vim.list_extend(vim.list_extend(kept, into), typed, last - from + 1)
  else
    chat.damage = "head"
    if first > chat.head or last > from then -- what stands in the place of the blank line, or of the draft, is typed
      chat.typed, chat.from = api.nvim_buf_get_lines(chat.buf, first, -1, false), first
    else
      chat.from = from + new - last
    end
  end
  if #chat.typed == 0 then
    chat.typed, chat.damage = { "" }, chat.damage or "head"
  end
end

-- A change by somebody else: what a command does is looked at as a whole, when it is over.
local function heard(chat, first, last, new, redraw, typed)
  if not chat.looking then
    chat.looking = true
    -- While the human inserts, each key is a change of its own.
    chat.before = api.nvim_get_mode().mode:sub(1, 1) ~= "i" and vim.list_slice(chat.typed) or nil
    vim.schedule(function()
      chat.looking, chat.before = false, nil
      mend(chat, redraw)
      typed()
    end)
  end
  changed(chat, first, last, new)
end

---Make `chat.buf` a document: an empty draft, and nothing above it. `redraw` has the transcript drawn anew;
---`typed` hears that something was typed, by whomever.
function M.begin(chat, redraw, typed)
  M.quietly(chat, function()
    api.nvim_buf_set_lines(chat.buf, 0, -1, false, { HEAD[1], HEAD[2], "" })
  end)
  settle(chat, 0)
  api.nvim_buf_attach(chat.buf, false, {
    on_lines = function(_, buf, _, first, last, new)
      if chat.buf ~= buf or chat.gone then
        return true
      end
      if not chat.drawing then
        heard(chat, first, last, new, redraw, typed)
      end
    end,
  })
end

local function apply(chat, op)
  local buf = chat.buf
  if op[1] == "put" then
    blocks.clear(buf, op[2], op[3])
    mentions.clear(buf, op[2], op[3])
    api.nvim_buf_set_lines(buf, op[2], op[3], false, op[4])
    look.lines(buf, chat.nonce, op[2], op[4])
    blocks.lines(chat, op[2], op[4])
  elseif op[1] == "all" then
    blocks.clear(buf, 0, M.row(chat))
    mentions.clear(buf, 0, M.row(chat))
    replace(buf, 0, M.row(chat), op[2])
    look.lines(buf, chat.nonce, 0, op[2])
    blocks.lines(chat, 0, op[2])
  else
    api.nvim_buf_set_text(buf, op[2], op[3], op[2], op[3], op[4])
    look.grown(buf, chat.nonce, op[2], #op[4])
  end
end

---Draw a frame; false and why when it could not be drawn whole. Cursors stay where they are, but for one at the end of
---a document that grows under it.
function M.draw(chat, ops)
  if chat.damage then
    return false, "" -- it is about to be drawn anew
  end
  local following = {}
  for _, win in ipairs(chat.busy and vim.fn.win_findbuf(chat.buf) or {}) do
    if api.nvim_win_get_cursor(win)[1] == api.nvim_buf_line_count(chat.buf) then
      following[#following + 1] = win
    end
  end
  local done, why = M.quietly(chat, function()
    for _, op in ipairs(ops) do
      apply(chat, op)
    end
  end)
  chat.head = M.row(chat)
  chat.from = chat.head + #HEAD
  if not done then -- a Ctrl-C broke it off, or somebody changed the buffer: it is drawn anew
    return false, why
  end
  for _, win in ipairs(following) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(chat.buf), 0 })
  end
  blocks.fold(chat)
  return true
end

return M
