-- How a transcript looks: marker lines are hidden, finished lines are highlighted, each once.
local api = vim.api
local mentions = require("motet.mentions")
local M = {}

local ns = api.nvim_create_namespace("motet.look")
local fences = {} ---@type table<integer, { mark: integer, text: string, name: string }?> the open one of each buffer

for name, link in pairs({
  MotetHeading = "Title", MotetCode = "String", MotetFence = "Special", MotetBold = "@markup.strong",
  MotetItalic = "@markup.italic", MotetItem = "Special", MotetQuote = "Comment", MotetLink = "Underlined",
}) do
  api.nvim_set_hl(0, name, { link = link, default = true })
end

-- What may stand in a line, by the character without which it does not.
local INLINE = {
  { "`", "()`[^`]+`()", "MotetCode" },
  { "**", "()%*%*[^*]+%*%*()", "MotetBold" },
  { "*", "%f[*]()%*[^*%s][^*]*%*()%f[^*]", "MotetItalic" },
  { "_", "%f[%w_]()_[^_%s][^_]*_()%f[^%w_]", "MotetItalic" },
  { "](", "()%[[^%]]+%]%([^)]+%)()", "MotetLink" },
}

local function mark(buf, row, from, to, hl)
  return api.nvim_buf_set_extmark(buf, ns, row, from, { end_col = to, hl_group = hl, strict = false })
end

-- The fence has come that ends the open block.
local function close(buf, row, fence)
  local function first()
    return api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_extmark_by_id(buf, ns, fence.mark, {})[1] or nil
  end
  local begun = first()
  if begun then
    require("motet.code").colour({ buf = buf, ns = ns, name = fence.name, lines = row - begun - 1, row = first })
  end
end

local function text_of(buf, row, text)
  local first = text:byte(1)
  if first == 35 and text:match("^#+ ") then
    return mark(buf, row, 0, #text, "MotetHeading")
  elseif first == 62 then
    return mark(buf, row, 0, #text, "MotetQuote")
  end
  local from, to = text:match("^%s*()[-*+] ()")
  if not from then
    from, to = text:match("^%s*()%d+[.)] ()")
  end
  if from then
    mark(buf, row, from - 1, to - 2, "MotetItem")
  end
  for _, one in ipairs(INLINE) do
    if text:find(one[1], 1, true) then
      for start, stop in text:gmatch(one[2]) do
        mark(buf, row, start - 1, stop - 1, one[3])
      end
    end
  end
  mentions.line(buf, row, text)
end

local function line_of(buf, row, text)
  local fence = fences[buf]
  local ticks, name = text:match("^%s*(```+)%s*([^%s`{]*)[^`]*$")
  if not ticks then
    ticks, name = text:match("^%s*(~~~+)%s*([^%s{]*)")
  end
  if not fence and ticks then
    fences[buf] = { mark = mark(buf, row, 0, #text, "MotetFence"), text = ticks, name = name }
  elseif fence and ticks and name == "" and vim.startswith(ticks, fence.text) then
    mark(buf, row, 0, #text, "MotetFence")
    fences[buf] = nil
    close(buf, row, fence)
  elseif fence then
    mark(buf, row, 0, #text, "MotetCode")
  else
    text_of(buf, row, text)
  end
end

local function draw(buf, marker, row, lines)
  local own = require("motet").options.highlight ~= "treesitter"
  for index, text in ipairs(lines) do
    local at = row + index - 1
    if marker and text:byte(1) == 60 and text:sub(1, #marker) == marker then
      fences[buf] = nil
      api.nvim_buf_set_extmark(buf, ns, at, 0, { end_row = at, end_col = #text, conceal = "", conceal_lines = "", strict = false })
    elseif own then
      line_of(buf, at, text)
    end
  end
end

local function marker_of(nonce)
  return "<!-- motet " .. nonce .. " "
end

---These lines stand at `row` now.
function M.lines(buf, nonce, row, lines)
  api.nvim_buf_clear_namespace(buf, ns, row, row + #lines)
  draw(buf, marker_of(nonce), row, lines)
end

---Posts of a board stand at `row` now: each ends what the one before left open. `starts`: where they begin in `lines`.
function M.posts(buf, row, lines, starts)
  api.nvim_buf_clear_namespace(buf, ns, row, row + #lines)
  for index, start in ipairs(starts) do
    fences[buf] = nil
    draw(buf, nil, row + start, vim.list_slice(lines, start + 1, starts[index + 1] or #lines))
  end
  fences[buf] = nil
end

---A text of so many lines was added in `row`: all but the last are finished.
function M.grown(buf, nonce, row, count)
  if count > 1 then
    draw(buf, marker_of(nonce), row, api.nvim_buf_get_lines(buf, row, row + count - 1, false))
  end
end

---A buffer becomes a chat.
function M.start(buf)
  if require("motet").options.highlight == "treesitter" then
    vim.treesitter.start(buf, "markdown")
  end
end

return M
