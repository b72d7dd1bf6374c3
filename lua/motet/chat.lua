-- Chats: open one, say something in it, stop it.
local api = vim.api
local chats = require("motet.chats")
local document = require("motet.document")
local draft = require("motet.draft")
local layout = require("motet.layout")
local opening = require("motet.opening")
require("motet.context") -- notes from now on where the human works
local process = require("motet.process")

local M = {}

---Open a chat and give its buffer; the window is there before the program has answered.
---@param options { new?: boolean, chat?: string, layout?: string }
---@return integer
function M.open(options)
  local known = not options.new and not options.chat and chats.latest
  for buf, chat in pairs(chats.by_buf) do
    known = options.chat and chat.id == options.chat and buf or known
  end
  if known and chats.by_buf[known] then
    local shown = vim.fn.bufwinid(known)
    if shown ~= -1 then
      api.nvim_set_current_win(shown)
    else
      layout.show(known, options.layout)
      document.guard(chats.by_buf[known]) -- the cursor came back to its place after the buffer had been entered
    end
    return known
  end
  local buf = opening.buffer()
  local shown = options.new and not options.layout and chats.latest and vim.fn.bufwinid(chats.latest) or -1
  if shown ~= -1 then -- a new chat takes the window of the one before
    api.nvim_set_current_win(shown)
  end
  layout.show(buf, shown ~= -1 and "current" or options.layout)
  opening.adopt(buf, options.chat or "")
  return buf
end

---Send the draft of a buffer: of a chat's, or of one with a window of its own. While a turn runs it waits for a gap.
function M.send(buf)
  local chat = chats.find(buf)
  if not chat then
    return
  end
  vim.cmd.stopinsert()
  if not chat.busy then
    chats.give_back(chat, draft.take(chat))
  end
  local text = chat.busy and draft.take(chat) or document.text(chat)
  if text == "" then
    vim.notify("motet: nothing is typed", vim.log.levels.INFO)
  elseif chat.busy then
    table.insert(chat.waiting, text)
    chats.show_state(chat)
    chats.keep_soon(chat)
    chats.tell(chat, "send", text, false)
  else
    chats.lock(chat)
    if not chats.tell(chat, "send", text, true) then
      chats.unlock(chat)
    end
  end
end

---Say `text`; what is typed stays as it is.
function M.say(buf, text)
  local chat = assert(chats.find(buf), "no chat")
  table.insert(chat.waiting, text)
  local was_busy = chat.busy
  if not was_busy then
    chats.lock(chat)
  end
  if not chats.tell(chat, "send", text, false) then
    chats.lose(chat)
  end
end

---Go to where something can be typed now. `insert`: and begin to.
function M.say_here(insert)
  local chat = chats.find(api.nvim_get_current_buf())
  if chat and chat.busy then
    draft.open(chat, opening.prepare_note(chat))
  elseif chat and api.nvim_get_current_buf() == chat.buf then
    api.nvim_win_set_cursor(0, { api.nvim_buf_line_count(chat.buf), 0 })
    document.guard(chat)
  end
  if insert then
    vim.cmd("startinsert!")
  end
end

-- Ctrl-C stops the turn that runs here. While something is drawn the editor takes it for an interrupt, which passes over
-- every map, so that a map alone would miss it now and then. And who types in a chat that was locked meanwhile goes on in
-- the draft's own window, with the key that was typed.
vim.on_key(function(key, typed)
  local chat = chats.by_buf[api.nvim_get_current_buf()]
  if not chat or not chat.busy then
    return
  elseif typed == "\3" or key == "\3" then
    M.stop(chat.buf)
  elseif api.nvim_get_mode().mode == "i" and (key:byte(1) or 0) >= 32 and key:byte(1) ~= 127 and key:byte(1) ~= 128 then
    local keys = api.nvim_replace_termcodes("<Esc><Cmd>lua require('motet.chat').say_here()<CR>A", true, false, true)
    api.nvim_feedkeys(keys .. key, "in", false)
    return ""
  end
end)

function M.stop(buf)
  local chat = chats.find(buf)
  if chat and chat.open then
    process.tell("stop", chat.buf)
  end
end

---Stop what runs here; where nothing does, close the window.
function M.stop_or_close()
  local chat = chats.find(api.nvim_get_current_buf())
  if chat and chat.busy then
    M.stop(chat.buf)
  else
    layout.close(api.nvim_get_current_win())
  end
end

function M.retry(buf)
  local chat = assert(chats.find(buf))
  if not chat.busy then
    chats.lock(chat)
    if not chats.tell(chat, "retry") then
      chats.unlock(chat)
    end
  end
end

---Do a slash command; the draft stays as it is.
function M.command(buf, text)
  chats.tell(assert(chats.find(buf)), "command", text)
end

---Show the request that the draft would lead to.
function M.inspect(buf)
  local chat = assert(chats.find(buf))
  chats.tell(chat, "inspect", document.text(chat))
end

---Share lines of another buffer with the next message.
function M.add(buf, work, first, last)
  chats.tell(assert(chats.find(buf)), "add", work, first, last)
end

---Make the draft `text`, if it is still `typed`.
function M.replace(buf, typed, text)
  local chat = assert(chats.find(buf))
  if typed ~= "" and not chat.busy and document.text(chat) == typed then
    document.set_text(chat, text)
  end
end

---Put `text` into the draft: where the cursor is, or at its end.
function M.insert(buf, text)
  local chat = assert(chats.find(buf))
  if chat.busy then
    draft.open(chat, opening.prepare_note(chat))
  else
    api.nvim_set_current_win(vim.fn.bufwinid(chat.buf))
  end
  local place = api.nvim_win_get_cursor(0)
  if not chat.busy and place[1] <= chat.from then
    place = { api.nvim_buf_line_count(0), 1000000 }
    api.nvim_win_set_cursor(0, place)
    document.guard(chat)
    place = api.nvim_win_get_cursor(0)
  end
  local line = api.nvim_get_current_line()
  local column = math.min(place[2] + (line == "" and 0 or 1), #line)
  api.nvim_buf_set_text(0, place[1] - 1, column, place[1] - 1, column, { text })
  api.nvim_win_set_cursor(0, { place[1], column + #text })
  vim.cmd("startinsert!")
end

---Have a model chosen from those that there are.
function M.choose_model()
  local chat = chats.current()
  if chat then
    chats.tell(chat, "models")
  end
end

---Complete at the cursor, in insert mode. `takes` gets what can stand there in the place of the menu. False where nothing
---can be asked.
function M.complete(takes)
  local here = api.nvim_get_current_buf()
  local chat = chats.find(here)
  if chat and chat.open and (chat.known or not takes) then -- who takes it is to get an answer
    local cursor = api.nvim_win_get_cursor(0)
    local own = here ~= chat.buf
    local text = own and table.concat(api.nvim_buf_get_text(here, 0, 0, cursor[1] - 1, cursor[2], {}), "\n")
    text = text or document.before_cursor(chat)
    if text then
      require("motet.complete").ask(chat.buf, text, takes)
      return true
    end
  end
  return false
end

---Show the next chat in this window, or one before.
function M.cycle(step)
  local bufs = vim.tbl_keys(chats.by_buf)
  table.sort(bufs)
  for index, buf in ipairs(bufs) do
    if buf == api.nvim_get_current_buf() and #bufs > 1 then
      local fixed = vim.wo.winfixbuf
      vim.wo.winfixbuf = false
      api.nvim_win_set_buf(0, bufs[(index - 1 + step) % #bufs + 1])
      document.guard(chats.by_buf[api.nvim_get_current_buf()])
      vim.wo.winfixbuf = fixed
      return
    end
  end
end

---The chat that was used last.
function M.current()
  local chat = chats.current()
  return chat and chat.buf
end

function M.status(buf)
  local chat = buf and chats.by_buf[buf]
  return chat and chat.status or {}
end

function M.toggle()
  local shown = chats.latest and vim.fn.bufwinid(chats.latest) or -1
  if shown == -1 or not layout.close(shown) then
    M.open({})
  end
end

---The program has gone: drafts stay, and the next use opens the chats again.
function M.lost()
  for _, chat in pairs(chats.by_buf) do
    chats.lose(chat)
  end
end

return M
