-- What the program tells of its chats.
local api = vim.api
local chats = require("motet.chats")
local document = require("motet.document")
local opening = require("motet.opening")

local M = {}

function M.attached(buf, id, nonce, status)
  local chat = chats.by_buf[buf]
  if chat then
    chat.was_known = chat.id ~= ""
    chat.id, chat.nonce, chat.known = id, nonce, true
    opening.named(buf, id)
    M.status(buf, status)
    if chats.unsaid(chat) ~= "" then
      chats.keep_soon(chat)
    end
    chats.emit("Opened", { buf = buf, chat = id })
  end
end

---The chat that `buf` was to show is in another buffer already.
function M.instead(buf, other)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.wo[win].winfixbuf = false
    api.nvim_win_set_buf(win, other)
  end
  if chats.by_buf[buf] then
    chats.by_buf[buf].open = false
  end
  pcall(api.nvim_buf_delete, buf, { force = true })
end

---What is drawn next is the whole chat, with other markers.
function M.drawn_anew(buf, nonce)
  local chat = chats.by_buf[buf]
  if chat then
    chat.nonce = nonce
  end
end

---Another chat is shown in the window of `buf`.
function M.another(buf, id)
  local win = vim.fn.bufwinid(buf)
  if win ~= -1 then
    api.nvim_set_current_win(win)
  end
  require("motet.chat").open({ chat = id, layout = win ~= -1 and "current" or nil })
end

---What goes along with the draft: lines at its head, which the human may take away.
function M.context(buf, lines)
  local chat = chats.by_buf[buf]
  if chat and api.nvim_buf_is_loaded(buf) then
    document.set_block(chat, lines)
  end
end

---Draw a frame; false when it could not be drawn whole.
function M.draw(buf, ops)
  local chat = chats.by_buf[buf]
  if not chat or not api.nvim_buf_is_loaded(buf) then
    return false
  end
  local done, why = document.draw(chat, ops)
  if not done and chat.busy and tostring(why):find("Keyboard interrupt", 1, true) then
    require("motet.chat").stop(buf)
  end
  return done
end

local function of(buf, data)
  local chat = chats.by_buf[buf]
  return vim.tbl_extend("force", { buf = buf, chat = chat and chat.id or "" }, data)
end

---A request goes out.
function M.requested(buf, model)
  chats.emit("Requested", of(buf, { model = model }))
end

---An answer is whole, and these tools are run.
function M.tools_called(buf, tools)
  chats.emit("ToolsCalled", of(buf, { tools = tools }))
end

---One of them has its result.
function M.tool_finished(buf, tool, failed)
  chats.emit("ToolFinished", of(buf, { tool = tool, failed = failed }))
end

---A file was written, or its buffer where that holds unsaved text.
function M.wrote(path)
  chats.emit("Wrote", { path = path })
end

-- `text` is part of the conversation now.
local function heard(chat, text)
  for index, one in ipairs(chat.waiting) do
    if one == text then
      table.remove(chat.waiting, index)
      return
    end
  end
  if text == document.text(chat) then
    document.set_text(chat, "")
  end
end

---A turn begins, with `text` or with nothing new; the document is locked until it is over.
function M.taken(buf, text)
  local chat = chats.by_buf[buf]
  if chat then
    M.said(buf, text)
    if api.nvim_get_current_buf() == buf and not chat.busy then
      vim.cmd.stopinsert()
    end
    chats.lock(chat)
    chats.emit("Sent", { buf = buf, chat = chat.id })
  end
end

---`text` has joined the conversation.
function M.said(buf, text)
  local chat = chats.by_buf[buf]
  if chat and text then
    heard(chat, text)
    chats.keep(chat)
    chats.show_state(chat)
  end
end

---`text` was not said: it is typed again.
function M.returned(buf, text)
  local chat = chats.by_buf[buf]
  if chat and vim.tbl_contains(chat.waiting, text) then
    heard(chat, text)
    chats.give_back(chat, text)
  end
end

---The turn is over: the draft is the human's again, with an undo history of its own.
function M.idle(buf)
  local chat = chats.by_buf[buf]
  if chat and api.nvim_buf_is_loaded(buf) then
    chats.unlock(chat)
    chats.emit("Ended", { buf = buf, chat = chat.id, status = chat.status })
  end
end

---What was typed here before. Where the buffer has been open since, what stands in it is newer.
function M.draft(buf, text)
  local chat = chats.by_buf[buf]
  local typed = chat and document.text(chat)
  if text == "" then
    return
  elseif chat and typed == "" and chats.unsaid(chat) == "" then
    chats.give_back(chat, text)
    document.guard(chat)
  elseif chat and not chat.was_known and typed ~= text then -- begun before the chat was there
    document.set_text(chat, text .. "\n\n" .. typed)
    document.guard(chat)
  end
end

---The draft is stored.
function M.kept(buf, text)
  if chats.by_buf[buf] and api.nvim_buf_is_loaded(buf) then
    vim.b[buf].motet_kept = text
    chats.emit("Kept", { buf = buf })
  end
end

---The chat could not be opened; the next use tries again.
function M.unopened(buf)
  local chat = chats.by_buf[buf]
  if chat then
    chats.lose(chat)
  end
end

function M.models(buf, names)
  vim.ui.select(names, { prompt = "Model", kind = "motet" }, function(name)
    if name and chats.by_buf[buf] then
      require("motet.chat").command(buf, "/model " .. name)
    end
  end)
end

function M.status(buf, status)
  local chat = chats.by_buf[buf]
  if chat then
    chat.status = status
    vim.b[buf].motet_title = status.title
    chats.show_state(chat)
    vim.cmd("redrawstatus!")
  end
end

return M
