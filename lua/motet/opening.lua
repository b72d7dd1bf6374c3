-- A buffer becomes a chat: by `:Motet`, by its name, or because a session had it.
local api = vim.api
local blocks = require("motet.blocks")
local chats = require("motet.chats")
local document = require("motet.document")
local draft = require("motet.draft")
local events = require("motet.events")
local layout = require("motet.layout")
local process = require("motet.process")

local M = {}

local group = api.nvim_create_augroup("motet", {})
local PREFIX = "motet://chat/"

-- Neovim keeps a buffer for the name that was, and makes it the alternate file.
function M.name_it(buf, name)
  local before = api.nvim_buf_get_name(buf)
  if before ~= name and pcall(vim.cmd, ("keepalt call nvim_buf_set_name(%d, %s)"):format(buf, vim.fn.string(name))) then
    local left = vim.fn.bufnr("^" .. before .. "$")
    if left ~= -1 and left ~= buf then
      pcall(api.nvim_buf_delete, left, { force = true })
    end
  end
end

---The buffer shows the chat with that id.
function M.named(buf, id)
  M.name_it(buf, PREFIX .. id)
end

local function id_of(name)
  local id = name:sub(#PREFIX + 1)
  return id:match("^new%-") and "" or id
end

local function hear(events, buf, act)
  api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = act })
end

-- What holds for a chat's buffer and for a draft's own.
local function hear_typing(chat, buf)
  require("motet.typing").hear(group, buf, {
    typed = function() chats.keep_soon(chat) end,
    complete = function() require("motet.chat").complete() end,
    completed = function() require("motet.complete").done(buf) end,
    send = function() require("motet.chat").send(buf) end,
  })
  require("motet.keys").map(buf, buf ~= chat.buf)
end

---What the buffer of a draft with a window of its own needs.
function M.prepare_note(chat)
  return function(buf)
    hear_typing(chat, buf)
    vim.bo[buf].omnifunc = "v:lua.require'motet.complete'.omnifunc"
    hear("WinLeave", buf, vim.schedule_wrap(function()
      if not chat.busy and chats.by_buf[chat.buf] == chat and not draft.is_here(chat) then
        chats.give_back(chat, draft.take(chat))
        document.guard(chat)
      end
    end))
  end
end

local function prepare(chat)
  local buf = chat.buf
  hear_typing(chat, buf)
  hear({ "CursorMoved", "CursorMovedI", "InsertEnter", "BufEnter" }, buf, function()
    chats.latest = buf
    document.guard(chat)
    require("motet.mentions").moved(chat)
  end)
  hear("BufEnter", buf, vim.schedule_wrap(function()
    if chats.by_buf[buf] == chat then
      document.guard(chat) -- the cursor came back to its place after the event
    end
  end))
  hear("InsertLeave", buf, function()
    vim.bo[buf].undolevels = vim.bo[buf].undolevels -- what a plug-in does next is no part of what was typed
  end)
  hear("BufWinEnter", buf, function()
    layout.style(api.nvim_get_current_win())
    blocks.fold_window(api.nvim_get_current_win(), chat)
  end)
  hear("BufUnload", buf, function()
    M.forget(buf)
  end)
end

---Make `buf` the chat with that id, or a new one. `lenient`: a new one, too, when there is none with that id.
function M.adopt(buf, id, lenient)
  local chat = { buf = buf, id = "", nonce = "", busy = false, status = {}, waiting = {} }
  chats.by_buf[buf], chats.latest = chat, buf
  api.nvim_clear_autocmds({ group = group, buffer = buf }) -- it may have been unloaded before
  local bo = vim.bo[buf]
  bo.buftype, bo.bufhidden, bo.swapfile, bo.modeline, bo.buflisted = "acwrite", "hide", false, false, false
  document.begin(chat, function()
    process.tell("redraw", buf)
  end, function()
    if not chat.gone then
      chats.keep_soon(chat)
    end
  end)
  prepare(chat)
  bo.filetype = "motet"
  require("motet.look").start(buf)
  bo.omnifunc = "v:lua.require'motet.complete'.omnifunc"
  bo.completeopt = "menuone,noselect" -- nothing stands in a message that nobody chose
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    layout.style(win)
    api.nvim_win_set_cursor(win, { 3, 0 })
  end
  document.guard(chat)
  chat.open = process.tell("open", buf, id, lenient or false)
end


---A new buffer, which is named like a chat.
function M.buffer()
  local buf = api.nvim_create_buf(false, false)
  events.past(function()
    api.nvim_buf_set_name(buf, PREFIX .. "new-" .. buf)
  end)
  return buf
end

---`:edit motet://chat/…`: that chat in this buffer.
function M.read(buf, name)
  if not chats.by_buf[buf] then
    M.adopt(buf, id_of(name))
  end
end

---After a session was loaded: its chats are opened again, in the buffers that have their names.
function M.restore()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(buf)
    if vim.startswith(name, "motet://board/") then
      require("motet.board").read(buf, name)
    elseif vim.startswith(name, "motet://draft/") and not draft.owner(buf) then
      vim.schedule(function()
        pcall(api.nvim_buf_delete, buf, { force = true })
      end)
    elseif vim.startswith(name, PREFIX) and not chats.by_buf[buf] and api.nvim_buf_is_loaded(buf) then
      M.adopt(buf, id_of(name), true)
    end
  end
end

---The buffer has gone: what is typed in it is kept, and the chat is others' to open.
function M.forget(buf)
  local chat = chats.by_buf[buf]
  if chat then
    draft.forget(chat)
    if chat.open then
      local typed = chats.unsaid(chat)
      process.tell("close", buf, (chat.known or typed ~= "") and typed or vim.NIL) -- nil: what was kept stays
    end
    chats.by_buf[buf], chat.gone = nil, true
    vim.schedule(function()
      chats.emit("Closed", { buf = buf, chat = chat.id })
    end)
    chats.latest = chats.latest ~= buf and chats.latest or next(chats.by_buf)
    blocks.forget(buf)
    vim.schedule(function()
      draft.take(chat)
    end)
  end
end

return M
