-- Mentions and links of files are shown short: `@bar.ts` for `@/foo/bar.ts`, `bar.ts` for `[bar.ts](./foo/bar.ts)`. The
-- text stays as it is, and the line of the cursor shows it whole. Rows count from 0.
local api = vim.api
local M = {}

local ns = api.nvim_create_namespace("motet.mentions")
local spots = api.nvim_create_namespace("motet.mentions.cursor")

local function hide(buf, row, from, to)
  api.nvim_buf_set_extmark(buf, ns, row, from - 1, { end_col = to - 1, conceal = "", strict = false })
end

---Shorten what `text`, the line at `row`, mentions.
function M.line(buf, row, text)
  if not text:find("@/", 1, true) and not text:find("](", 1, true) then
    return
  end
  for from, path in text:gmatch("@()(/[^%s]*/)") do
    hide(buf, row, from, from + #path)
  end
  for from, name, after, to in text:gmatch("()%[([^%[%]]+)()%]%([^()]+%)()") do
    if name ~= "" then
      hide(buf, row, from, from + 1)
      hide(buf, row, after, to)
    end
  end
end

---Lines from `first` to `last` are about to be replaced.
function M.clear(buf, first, last)
  api.nvim_buf_clear_namespace(buf, ns, first, last)
end

local function line_at(buf, row)
  return api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

-- Code that is typed is shown as it is.
local function is_code(chat, row)
  local open = false
  for _, line in ipairs(api.nvim_buf_get_lines(chat.buf, chat.from, row, false)) do
    open = open ~= (line:match("^%s*```") ~= nil)
  end
  return open
end

---The cursor is in a line that it was not in before: that one shows itself whole, and the other short again.
function M.moved(chat)
  local buf, row = chat.buf, api.nvim_win_get_cursor(0)[1] - 1
  local before = chat.spotted and api.nvim_buf_get_extmark_by_id(buf, spots, chat.spotted, {})[1]
  if before == row then
    return
  end
  if before and (chat.was_short or (before >= chat.from and not is_code(chat, before))) then
    M.clear(buf, before, before + 1)
    M.line(buf, before, line_at(buf, before))
  end
  chat.was_short = #api.nvim_buf_get_extmarks(buf, ns, { row, 0 }, { row, -1 }, { limit = 1 }) > 0
  M.clear(buf, row, row + 1)
  chat.spotted = api.nvim_buf_set_extmark(buf, spots, row, 0, { id = chat.spotted, right_gravity = false })
end

return M
