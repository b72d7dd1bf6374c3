-- The chats of this editor, and what holds for each: whether it is locked, what is typed in it and kept.
local api = vim.api
local bar = require("motet.bar")
local document = require("motet.document")
local draft = require("motet.draft")
local process = require("motet.process")

local M = {}

---@class motet.Chat
---@field id string          of the chat; "" until it is known
---@field status table
---@field open boolean       the program was told of it
---@field known boolean      the program has it open, and has told of the draft that was kept
---@field waiting string[]   said while a turn runs, and not part of the conversation yet
---@field note? integer      buffer of a draft in a window of its own
---@field left? string[]     what was in that when it was unloaded
---@field timer? uv.uv_timer_t
M.by_buf = {} ---@type table<integer, motet.Chat>
M.latest = nil ---@type integer?

---The chat of a buffer: its own, or the one that the buffer is a draft of.
function M.find(buf)
  local owner = draft.owner(buf)
  return M.by_buf[buf] or owner and M.by_buf[owner.buf] -- a board has drafts, too
end

bar.setup(M.find)

---The chat that is used here, or was last.
function M.current()
  return M.find(api.nvim_get_current_buf()) or M.by_buf[M.latest]
end

M.emit = require("motet.events").emit

---All that is typed and has not been said.
function M.unsaid(chat)
  local texts = vim.list_extend({}, chat.waiting)
  vim.list_extend(texts, { document.text(chat), draft.text(chat) })
  return table.concat(vim.tbl_filter(function(text)
    return text ~= ""
  end, texts), "\n\n")
end

---Have what is typed stored now.
function M.keep(chat)
  if M.by_buf[chat.buf] == chat and chat.known and api.nvim_buf_is_loaded(chat.buf) then
    process.tell("draft", chat.buf, M.unsaid(chat))
  end
end

---The same within half a second, however fast the human goes on typing.
function M.keep_soon(chat)
  draft.keep_soon(chat, M.keep)
end

---Put `text` below what is typed in the document.
function M.give_back(chat, text)
  local typed = document.text(chat)
  if text ~= "" then
    document.set_text(chat, typed == "" and text or typed .. "\n\n" .. text)
    for _, win in ipairs(vim.fn.win_findbuf(chat.buf)) do
      api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(chat.buf), 1000000 })
    end
  end
end

function M.show_state(chat)
  bar.state(chat, document.row(chat))
end

---A turn runs, or is about to: nothing can be typed in the document.
function M.lock(chat)
  chat.busy = true
  draft.lead(chat, true)
  document.guard(chat)
  M.show_state(chat)
end

---The document is the human's again, and what was typed beside it is in it, unless they are still there.
function M.unlock(chat)
  chat.busy = false
  draft.lead(chat, false)
  document.forget_undo(chat)
  if not draft.is_here(chat) then
    M.give_back(chat, draft.take(chat))
  end
  document.guard(chat)
  M.show_state(chat)
end

---The program does not know the chat any more. What was said and is not known to have been heard is typed again.
function M.lose(chat)
  local said = table.concat(chat.waiting, "\n\n")
  chat.waiting, chat.open, chat.known, chat.status = {}, false, false, {}
  if api.nvim_buf_is_loaded(chat.buf) then
    local typed = document.text(chat)
    if said ~= "" then
      document.set_text(chat, typed == "" and said or said .. "\n\n" .. typed)
    end
    M.unlock(chat)
  end
end

---Tell the program of a chat. One whose program has ended, or that could not be opened, is opened again before.
---@return boolean
function M.tell(chat, name, ...)
  if not chat.open then
    chat.open = process.tell("open", chat.buf, chat.id, true)
  end
  return chat.open and process.tell(name, chat.buf, ...)
end

return M
