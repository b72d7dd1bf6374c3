-- Chat buffers: the transcript above, which is drawn and never typed, and the draft below it, which is never drawn.
local api = vim.api
local look = require("motet.look")
require("motet.context") -- notes from now on where the human works
local process = require("motet.process")

local M = {}

local HEAD = { "## Me", "", "" }
local ns = api.nvim_create_namespace("motet.draft")
local group = api.nvim_create_augroup("motet", {})

---@class motet.Chat
---@field buf integer
---@field mark integer   where the draft's heading stands
---@field id string      of the chat; "" until it is known
---@field nonce string   of the markers
---@field busy boolean   a turn runs: the document is locked
---@field status table
---@field open boolean   the program knows it
---@field timer? uv.uv_timer_t
local chats = {} ---@type table<integer, motet.Chat>
local latest ---@type integer?

local function of(buf)
  return buf and chats[buf] or nil
end

---The row of the draft's heading, from 0.
local function draft_row(chat)
  return api.nvim_buf_get_extmark_by_id(chat.buf, ns, chat.mark, {})[1]
end

local function draft_text(chat)
  local lines = api.nvim_buf_get_lines(chat.buf, draft_row(chat) + 2, -1, false)
  return (table.concat(lines, "\n"):gsub("%s+$", ""))
end

-- Change the buffer without the human's undo history and without moving anything of theirs.
local function quietly(chat, change)
  local bo = vim.bo[chat.buf]
  local levels, modifiable = bo.undolevels, bo.modifiable
  bo.modifiable, bo.undolevels = true, -1
  local done, why = pcall(change)
  bo.undolevels, bo.modifiable, bo.modified = levels, modifiable, false
  return done, why
end

local function mark_draft(chat, row)
  chat.mark = api.nvim_buf_set_extmark(chat.buf, ns, row, 0, { id = chat.mark, right_gravity = true })
end

local function emit(name, data)
  api.nvim_exec_autocmds("User", { pattern = "Motet" .. name, data = data, modeline = false })
end

-- The transcript cannot be typed in: the buffer is modifiable where the draft is.
local function guard(chat)
  if api.nvim_get_current_buf() ~= chat.buf then
    return
  end
  local in_draft = api.nvim_win_get_cursor(0)[1] - 1 > draft_row(chat)
  vim.bo[chat.buf].modifiable = in_draft and not chat.busy
end

local function keep_soon(chat)
  vim.bo[chat.buf].modified = false
  chat.timer = chat.timer or vim.uv.new_timer()
  chat.timer:start(
    500,
    0,
    vim.schedule_wrap(function()
      if chats[chat.buf] == chat and api.nvim_buf_is_loaded(chat.buf) and chat.open then
        process.tell("draft", chat.buf, draft_text(chat))
      end
    end)
  )
end

local function map(chat, name, rhs)
  for mode, key in pairs(require("motet").options.maps[name] or {}) do
    if key then
      vim.keymap.set(mode, key, rhs, { buffer = chat.buf, desc = "motet: " .. name, nowait = true })
    end
  end
end

-- Completion is asked for and answered by notifications: what comes too late, or for another place, is left away.
local asked = 0

---Ask what can stand at the cursor, in insert mode.
function M.complete()
  local chat = of(api.nvim_get_current_buf())
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local first = chat and chat.open and draft_row(chat) + 2
  if not first or row - 1 < first then
    return
  end
  local lines = api.nvim_buf_get_text(chat.buf, first, 0, row - 1, column, {})
  asked = asked + 1
  process.tell("complete", chat.buf, asked, table.concat(lines, "\n"))
end

function M.completed(buf, number, replaced, rows)
  if number ~= asked or api.nvim_get_current_buf() ~= buf or not api.nvim_get_mode().mode:match("^i") then
    return
  end
  local column = api.nvim_win_get_cursor(0)[2] - replaced + 1
  local items = vim.tbl_map(function(row)
    return { word = row[1], abbr = row[2], menu = row[3], icase = 1, dup = 1 }
  end, rows)
  if column >= 1 then
    vim.fn.complete(column, items)
  end
end

---For 'omnifunc': nothing at once, the menu when it is known.
function M.omnifunc(findstart)
  if findstart == 1 then
    vim.schedule(M.complete)
    return -3
  end
  return {}
end

local function heading(direction)
  return function()
    vim.fn.search("^## ", direction == "next" and "W" or "bW")
  end
end

local function show_maps(chat)
  local lines = {}
  for _, one in ipairs(api.nvim_buf_get_keymap(chat.buf, "n")) do
    if (one.desc or ""):match("^motet: ") then
      lines[#lines + 1] = ("%-8s %s"):format(one.lhs, one.desc:sub(8))
    end
  end
  table.sort(lines)
  vim.notify(table.concat(lines, "\n"), vim.log.levels.INFO)
end

local function prepare(chat)
  local buf = chat.buf
  api.nvim_create_autocmd("BufWriteCmd", {
    group = group,
    buffer = buf,
    callback = function()
      -- `:w` sends; `:wa`, `:wqa`, `:update` and autowrite find nothing to write, as the buffer is never modified.
      M.send(buf)
    end,
  })
  api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI", "InsertEnter", "BufEnter" }, {
    group = group,
    buffer = buf,
    callback = function()
      latest = buf
      guard(chat)
    end,
  })
  api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP" }, {
    group = group,
    buffer = buf,
    callback = function()
      keep_soon(chat)
    end,
  })
  api.nvim_create_autocmd("TextChangedI", {
    group = group,
    buffer = buf,
    callback = function()
      local column = api.nvim_win_get_cursor(0)[2]
      if api.nvim_get_current_line():sub(1, column):match("[#@/][^%s]*$") then
        M.complete()
      end
    end,
  })
  api.nvim_create_autocmd("BufUnload", {
    group = group,
    buffer = buf,
    callback = function()
      M.forget(buf)
    end,
  })
  map(chat, "send", function()
    M.send(buf)
  end)
  map(chat, "stop", function()
    M.stop(buf)
  end)
  map(chat, "complete", M.complete)
  map(chat, "next", heading("next"))
  map(chat, "previous", heading("previous"))
  map(chat, "help", function()
    show_maps(chat)
  end)
end

local function size(of_all)
  local wanted = require("motet").options.size
  return math.floor(wanted <= 1 and of_all * wanted or wanted)
end

local function window(buf, layout)
  layout = layout or require("motet").options.layout
  if layout == "tab" then
    vim.cmd("tab split")
  elseif layout == "float" then
    local width, height = math.floor(vim.o.columns * 0.8), math.floor(vim.o.lines * 0.8)
    api.nvim_open_win(buf, true, {
      relative = "editor", width = width, height = height, border = "rounded",
      col = math.floor((vim.o.columns - width) / 2), row = math.floor((vim.o.lines - height) / 2) - 1,
    })
  elseif layout == "below" or layout == "above" then
    vim.cmd((layout == "below" and "botright " or "topleft ") .. size(vim.o.lines) .. "split")
  elseif layout ~= "current" then
    vim.cmd((layout == "left" and "topleft " or "botright ") .. size(vim.o.columns) .. "vsplit")
  elseif vim.wo.winfixbuf then
    vim.cmd("split")
    vim.wo.winfixbuf = false
  end
  if layout ~= "float" then
    vim.wo.winfixbuf = false
    api.nvim_win_set_buf(0, buf)
  end
  local wo = vim.wo[0][0]
  wo.wrap, wo.linebreak, wo.breakindent = true, true, true
  wo.conceallevel, wo.concealcursor = 2, "nvic"
  wo.number, wo.relativenumber, wo.signcolumn, wo.foldcolumn = false, false, "no", "0"
end

---Open a chat and give its buffer; the window is there before the program has answered.
---@param options { new?: boolean, chat?: string, layout?: string }
---@return integer
function M.open(options)
  local known = not options.new and not options.chat and latest
  if known and chats[known] then
    local shown = vim.fn.bufwinid(known)
    if shown ~= -1 then
      api.nvim_set_current_win(shown)
    else
      window(known, options.layout)
    end
    return known
  end
  local buf = api.nvim_create_buf(true, false)
  local chat = { buf = buf, id = "", nonce = "", busy = false, status = {} }
  chats[buf], latest = chat, buf
  local bo = vim.bo[buf]
  bo.omnifunc = "v:lua.require'motet.chat'.omnifunc"
  bo.buftype, bo.bufhidden, bo.swapfile, bo.modeline, bo.buflisted = "acwrite", "hide", false, false, false
  api.nvim_buf_set_name(buf, "motet://chat/new-" .. buf)
  api.nvim_buf_set_lines(buf, 0, -1, false, HEAD)
  mark_draft(chat, 0)
  window(buf, options.layout)
  bo.filetype = "motet"
  bo.modified = false
  quietly(chat, function()
    api.nvim_buf_set_lines(buf, 2, 3, false, { "" })
  end)
  api.nvim_win_set_cursor(0, { 3, 0 })
  prepare(chat)
  guard(chat)
  chat.open = process.tell("open", buf, options.chat or "")
  return buf
end

-- Ctrl-C stops the turn that runs here. While something is drawn the editor takes it for an interrupt, which passes over
-- every map, so that a map alone would miss it now and then.
vim.on_key(function(key, typed)
  if (typed == "\3" or key == "\3") and (chats[api.nvim_get_current_buf()] or {}).busy then
    M.stop(api.nvim_get_current_buf())
  end
end)

-- A chat whose program has ended, or that could not be opened, is opened again before anything is told of it.
local function tell(chat, name, ...)
  if not chat.open then
    chat.open = process.tell("open", chat.buf, chat.id)
  end
  process.tell(name, chat.buf, ...)
end

---Send the draft.
function M.send(buf)
  local chat = of(buf)
  if not chat then
    return
  end
  local text = draft_text(chat)
  if text == "" then
    vim.notify("motet: nothing is typed", vim.log.levels.INFO)
    return
  end
  tell(chat, "send", text)
end

---Say `text` as if it were typed and sent.
function M.say(buf, text)
  local chat = assert(of(buf), "no chat")
  quietly(chat, function()
    api.nvim_buf_set_lines(buf, draft_row(chat) + 2, -1, false, vim.split(text, "\n", { plain = true }))
  end)
  M.send(buf)
end

function M.stop(buf)
  if chats[buf] and chats[buf].open then
    process.tell("stop", buf)
  end
end

function M.retry(buf)
  tell(assert(of(buf)), "retry")
end

---Do a slash command; the draft stays as it is.
function M.command(buf, text)
  tell(assert(of(buf)), "command", text)
end

---Share lines of another buffer with the next message.
function M.add(buf, work, first, last)
  tell(assert(of(buf)), "add", work, first, last)
end

---Put `text` into the draft: where the cursor is, or at its end.
function M.insert(buf, text)
  local chat = assert(of(buf))
  local win = vim.fn.bufwinid(buf)
  local first, last = draft_row(chat) + 2, api.nvim_buf_line_count(buf) - 1
  local place = win ~= -1 and api.nvim_win_get_cursor(win) or { 1, 0 }
  local row, column = place[1] - 1, place[2] + (place[2] > 0 and 1 or 0)
  if row < first then
    row, column = last, #api.nvim_buf_get_lines(buf, last, last + 1, false)[1]
  end
  column = math.min(column, #api.nvim_buf_get_lines(buf, row, row + 1, false)[1])
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_text(buf, row, column, row, column, { text })
  if win ~= -1 then
    api.nvim_set_current_win(win)
    api.nvim_win_set_cursor(win, { row + 1, column + #text })
    vim.cmd("startinsert!")
  end
end

---Show another chat in the window of this one.
function M.another(buf, id)
  local win = vim.fn.bufwinid(buf)
  if win ~= -1 then
    api.nvim_set_current_win(win)
  end
  M.open({ chat = id, layout = win ~= -1 and "current" or nil })
end

function M.forget(buf)
  local chat = chats[buf]
  if chat then
    if chat.timer then
      chat.timer:stop()
      chat.timer:close()
    end
    if chat.open then
      process.tell("draft", buf, draft_text(chat))
      process.tell("close", buf)
    end
    chats[buf] = nil
    latest = latest ~= buf and latest or nil
  end
end

---The chat that was used last.
function M.current()
  local here = api.nvim_get_current_buf()
  return chats[here] and here or latest
end

function M.status(buf)
  local chat = of(buf)
  return chat and chat.status or {}
end

function M.toggle()
  local shown = latest and vim.fn.bufwinid(latest) or -1
  if shown ~= -1 and #api.nvim_list_wins() > 1 then
    api.nvim_win_close(shown, false)
  else
    M.open({})
  end
end

---The program has gone: drafts stay, and the next use opens the chats again.
function M.lost()
  for buf, chat in pairs(chats) do
    if api.nvim_buf_is_loaded(buf) then
      chat.busy, chat.open, chat.status = false, false, {}
      guard(chat)
    end
  end
end

-- --- what the program tells ----------------------------------------------------------------------------------

function M.attached(buf, id, nonce, status)
  local chat = of(buf)
  if not chat then
    return
  end
  if chat.id ~= "" then -- it was drawn by a program that has ended since
    quietly(chat, function()
      api.nvim_buf_set_lines(buf, 0, draft_row(chat), false, {})
    end)
  end
  chat.id, chat.nonce, chat.status = id, nonce, status
  pcall(api.nvim_buf_set_name, buf, "motet://chat/" .. id)
  if draft_text(chat) ~= "" then
    keep_soon(chat)
  end
  emit("Opened", { buf = buf, chat = id })
end

---Draw a frame; false when it could not be drawn whole. Cursors stay where they are, but for one at the end of a document that grows under it.
function M.draw(buf, ops)
  local chat = of(buf)
  if not chat or not api.nvim_buf_is_loaded(buf) then
    return false
  end
  local following = {}
  for _, win in ipairs(chat.busy and vim.fn.win_findbuf(buf) or {}) do
    if api.nvim_win_get_cursor(win)[1] == api.nvim_buf_line_count(buf) then
      following[#following + 1] = win
    end
  end
  local done, why = quietly(chat, function()
    for _, op in ipairs(ops) do
      if op[1] == "put" then
        api.nvim_buf_set_lines(buf, op[2], op[3], false, op[4])
        look.lines(buf, chat.nonce, op[2], op[4])
      elseif op[1] == "all" then
        api.nvim_buf_set_lines(buf, 0, draft_row(chat), false, op[2])
        look.lines(buf, chat.nonce, 0, op[2])
      else
        api.nvim_buf_set_text(buf, op[2], op[3], op[2], op[3], op[4])
        look.grown(buf, chat.nonce, op[2], #op[4])
      end
    end
  end)
  if not done then -- a Ctrl-C broke it off, or somebody changed the buffer: it is drawn anew
    if chat.busy and tostring(why):find("Keyboard interrupt", 1, true) then
      M.stop(buf)
    end
    return false
  end
  for _, win in ipairs(following) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
  end
  return true
end

---The draft is said: it is empty now, and the document is locked until the turn is over.
function M.taken(buf, draft)
  local chat = of(buf)
  if not chat then
    return
  end
  chat.busy = true
  if draft ~= false then
    quietly(chat, function()
      api.nvim_buf_set_lines(buf, draft_row(chat) + 2, -1, false, { "" })
    end)
  end
  if api.nvim_get_current_buf() == buf then
    vim.cmd.stopinsert()
  end
  guard(chat)
  emit("Sent", { buf = buf, chat = chat.id })
end

---The turn is over: the draft is the human's again, with an undo history of its own.
function M.idle(buf)
  local chat = of(buf)
  if not chat or not api.nvim_buf_is_loaded(buf) then
    return
  end
  chat.busy = false
  quietly(chat, function()
    local last = api.nvim_buf_line_count(buf) - 1
    api.nvim_buf_set_lines(buf, last, last + 1, false, api.nvim_buf_get_lines(buf, last, last + 1, false))
  end)
  guard(chat)
  emit("Ended", { buf = buf, chat = chat.id, status = chat.status })
end

---What was typed here before, where nothing is typed now.
function M.draft(buf, text)
  local chat = of(buf)
  if chat and draft_text(chat) == "" then
    quietly(chat, function()
      api.nvim_buf_set_lines(buf, draft_row(chat) + 2, -1, false, vim.split(text, "\n", { plain = true }))
    end)
  end
end

---The draft is stored.
function M.kept(buf, text)
  if of(buf) and api.nvim_buf_is_loaded(buf) then
    vim.b[buf].motet_kept = text
    emit("Kept", { buf = buf })
  end
end

---The chat could not be opened; the next use tries again.
function M.unopened(buf)
  local chat = of(buf)
  if chat then
    chat.open = false
  end
end

function M.set_status(buf, status)
  local chat = of(buf)
  if chat then
    chat.status = status
    vim.b[buf].motet_title = status.title
    vim.cmd.redrawstatus()
  end
end

return M
