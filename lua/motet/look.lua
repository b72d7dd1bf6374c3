-- How a transcript looks: marker lines are hidden, finished lines are highlighted, each once.
local api = vim.api
local M = {}

local ns = api.nvim_create_namespace("motet.look")
local fenced = {} ---@type table<integer, boolean>

for name, link in pairs({
  MotetHeading = "Title", MotetCode = "String", MotetFence = "Special", MotetBold = "Bold", MotetItem = "Special",
  MotetQuote = "Comment",
}) do
  api.nvim_set_hl(0, name, { link = link, default = true })
end

local function mark(buf, row, from, to, hl)
  api.nvim_buf_set_extmark(buf, ns, row, from, { end_col = to, hl_group = hl, strict = false })
end

local function line_of(buf, row, text, marker)
  local first = text:byte(1)
  if first == 60 and text:sub(1, #marker) == marker then
    fenced[buf] = false
    api.nvim_buf_set_extmark(buf, ns, row, 0, { end_row = row, end_col = #text, conceal = "", conceal_lines = "", strict = false })
  elseif first == 96 and text:sub(1, 3) == "```" then
    fenced[buf] = not fenced[buf]
    mark(buf, row, 0, #text, "MotetFence")
  elseif fenced[buf] then
    mark(buf, row, 0, #text, "MotetCode")
  elseif first == 35 and text:match("^#+ ") then
    mark(buf, row, 0, #text, "MotetHeading")
  elseif first == 62 then
    mark(buf, row, 0, #text, "MotetQuote")
  else
    local item = text:match("^%s*[-*] ()")
    if item then
      mark(buf, row, 0, item - 2, "MotetItem")
    end
    for from, to in text:gmatch("()`[^`]+`()") do
      mark(buf, row, from - 1, to - 1, "MotetCode")
    end
    for from, to in text:gmatch("()%*%*[^*]+%*%*()") do
      mark(buf, row, from - 1, to - 1, "MotetBold")
    end
  end
end

local function draw(buf, nonce, row, lines)
  local marker = "<!-- motet " .. nonce .. " "
  for index, text in ipairs(lines) do
    line_of(buf, row + index - 1, text, marker)
  end
end

---These lines stand at `row` now.
function M.lines(buf, nonce, row, lines)
  api.nvim_buf_clear_namespace(buf, ns, row, row + #lines)
  draw(buf, nonce, row, lines)
end

---A text of so many lines was added in `row`: all but the last are finished.
function M.grown(buf, nonce, row, count)
  if count > 1 then
    draw(buf, nonce, row, api.nvim_buf_get_lines(buf, row, row + count - 1, false))
  end
end

return M
