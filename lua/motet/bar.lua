-- What a chat does, in its window bar and beside its draft.
local api = vim.api
local M = {}

local ns = api.nvim_create_namespace("motet.bar")
local find ---@type fun(buf: integer): table?

api.nvim_set_hl(0, "MotetState", { link = "Comment", default = true })

-- A text of others in a bar: it steers nothing there.
local function plain(text)
  return (tostring(text or ""):gsub("[%c]", " "):gsub("%%", "%%%%"))
end

local function cut(text, width)
  if vim.fn.strdisplaywidth(text) <= width then
    return text
  end
  local kept = vim.fn.strchars(text)
  while kept > 0 and vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, kept)) > width - 1 do
    kept = kept - 1
  end
  return vim.fn.strcharpart(text, 0, kept) .. "…"
end

---How the chat of a buffer is found.
function M.setup(finder)
  find = finder
end

---The window bar; it is asked for in the window that it is of.
function M.winbar()
  local chat = find and find(api.nvim_get_current_buf())
  if not chat then
    return ""
  end
  local status = chat.status
  local title = (status.title or "") == "" and "new chat" or status.title
  return M.compose(title, (status.readonly and "read only · " or "") .. (status.meter or ""))
end

---A bar of this window: `right` whole, and as much of `left` as there is room for.
function M.compose(left, right)
  local room = api.nvim_win_get_width(0) - vim.fn.strdisplaywidth(right) - 3
  return (" %s%%=%s "):format(plain(cut(left, room)), plain(right))
end

---What happens now, beside the draft's heading; and what was said and has not joined the conversation yet, above it.
function M.state(chat, row)
  local status = chat.status
  local words = chat.busy and status.state ~= "ready" and { status.state } or {}
  vim.list_extend(words, chat.busy and status.tools or {})
  local above = {}
  for _, text in ipairs(chat.waiting) do
    above[#above + 1] = { { "waits: " .. text:gsub("\n", " "), "MotetState" } }
  end
  if #words == 0 and #above == 0 then
    api.nvim_buf_clear_namespace(chat.buf, ns, 0, -1)
    return
  end
  chat.bar = api.nvim_buf_set_extmark(chat.buf, ns, row, 0, {
    id = chat.bar,
    virt_text = { { table.concat(words, " · "), "MotetState" } },
    virt_lines = above,
    virt_lines_above = true,
  })
end

return M
