-- A draft in a window of its own, below a chat that is locked: what is typed there is said at the next gap of the turn,
-- or is the chat's next draft.
local api = vim.api
local M = {}

local HEIGHT = 5
-- Keys that begin to type. While the chat is locked they do it in the draft's window.
local KEYS = { "i", "a", "I", "A", "o", "O", "s", "S", "c", "C", "R", "gi", "gI" }
local owners = {} ---@type table<integer, motet.Chat>  by the draft's buffer

---The chat that a buffer is the draft of.
function M.owner(buf)
  return owners[buf]
end

local function is_alive(chat)
  return chat.note and api.nvim_buf_is_loaded(chat.note)
end

---What is typed there, without trailing blank space.
function M.text(chat)
  local lines = is_alive(chat) and api.nvim_buf_get_lines(chat.note, 0, -1, false) or chat.left or {}
  return (table.concat(lines, "\n"):gsub("%s+$", ""))
end

local function buffer(chat, prepare)
  local buf = api.nvim_create_buf(false, false)
  chat.note, owners[buf] = buf, chat
  local bo = vim.bo[buf]
  bo.buftype, bo.bufhidden, bo.swapfile, bo.modeline = "acwrite", "hide", false, false
  api.nvim_buf_set_name(buf, "motet://draft/" .. chat.buf)
  bo.filetype = "motet"
  api.nvim_buf_set_lines(buf, 0, -1, false, chat.left or {})
  chat.left, bo.modified = nil, false
  api.nvim_create_autocmd("BufUnload", {
    buffer = buf,
    callback = function() -- by the human's hand, or on the way out of the editor
      chat.left = owners[buf] and api.nvim_buf_get_lines(buf, 0, -1, false)
    end,
  })
  prepare(buf)
end

local function split(chat, host)
  if api.nvim_win_get_config(host).relative == "" then
    local height = math.max(1, math.min(HEIGHT, math.floor(api.nvim_win_get_height(host) / 2)))
    return api.nvim_open_win(chat.note, true, { split = "below", win = host, height = height })
  end
  local width, below = api.nvim_win_get_width(host), api.nvim_win_get_height(host)
  local height = math.max(1, math.min(HEIGHT, below - 2))
  return api.nvim_open_win(chat.note, true, {
    relative = "win", win = host, width = math.max(1, width - 2), height = height,
    row = below - height - 1, col = 0, border = "rounded", zindex = 60,
  })
end

---Go to the draft's window, which is opened where there is none. `prepare`: what its buffer needs when it is made.
function M.open(chat, prepare)
  if not is_alive(chat) then
    M.take(chat, true)
    buffer(chat, prepare)
  end
  local shown = vim.fn.win_findbuf(chat.note)[1]
  if shown then
    api.nvim_set_current_win(shown)
    return
  end
  local here = api.nvim_get_current_buf() == chat.buf and api.nvim_get_current_win()
  local win = split(chat, here or vim.fn.win_findbuf(chat.buf)[1] or api.nvim_get_current_win())
  local wo = vim.wo[win][0]
  wo.winfixheight, wo.winfixbuf, wo.winbar = true, true, chat.draft_bar or " draft: <CR> sends"
  wo.wrap, wo.linebreak, wo.number, wo.relativenumber, wo.signcolumn = true, true, false, false, "no"
end

---Take what is typed there, and close its windows. `leave`: what is left of it stays.
---@return string
function M.take(chat, leave)
  local text, buf = M.text(chat), chat.note
  chat.left = leave and chat.left or nil
  if buf then
    chat.note, owners[buf] = nil, nil
    local was_here = api.nvim_get_current_buf() == buf
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      pcall(api.nvim_win_close, win, true)
    end
    pcall(api.nvim_buf_delete, buf, { force = true })
    local shown = was_here and vim.fn.win_findbuf(chat.buf)[1]
    if shown then
      api.nvim_set_current_win(shown)
    end
  end
  return text
end

---Whether the human is in it.
function M.is_here(chat)
  return is_alive(chat) and api.nvim_get_current_buf() == chat.note
end

---While the chat is locked, keys that begin to type lead to the draft's window, by `say` (a Lua expression).
function M.lead(chat, locked, say)
  if (chat.led or false) == locked or not api.nvim_buf_is_valid(chat.buf) then
    return
  end
  chat.led = locked
  for _, key in ipairs(KEYS) do
    if locked then
      local rhs = ("<Cmd>lua %s<CR>A"):format(say or "require('motet.chat').say_here()")
      vim.keymap.set("n", key, rhs, { buffer = chat.buf, nowait = true, desc = "motet: say something" })
    else
      pcall(vim.keymap.del, "n", key, { buffer = chat.buf })
    end
  end
end

---Have `keep(page)` called within half a second, however fast the human goes on typing.
---@param page motet.Chat|table  what the draft belongs to
function M.keep_soon(page, keep)
  page.timer = page.timer or vim.uv.new_timer()
  if not page.timer:is_active() then
    page.timer:start(500, 0, vim.schedule_wrap(function()
      keep(page)
    end))
  end
end

---Nothing is kept any more for a page that goes.
function M.forget(page)
  if page.timer then
    page.timer:stop()
    page.timer:close()
    page.timer = nil
  end
end

return M
