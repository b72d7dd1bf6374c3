-- How hunks that wait look: lines to be taken away are marked, lines to be added stand below them as virtual lines.
local api = vim.api
local M = {}

local ns = api.nvim_create_namespace("motet.review")
-- Where hunks are, kept from the first drawing on: these move with the text, and are never drawn anew by a guess.
local anchors = api.nvim_create_namespace("motet.review.anchors")

---@class motet.Hunk
---@field id string
---@field row integer      first row, from 0
---@field count integer    lines that it takes away or changes
---@field stale boolean    the human has changed these lines
---@field note string      what happens to the file besides
---@field caution string?  how loosely its place was found
---@field number integer   in its file, of `total`
---@field total integer
---@field parts [integer, integer, string[], integer[][], integer[][]][]   row in the hunk, lines taken away, lines added,
---  and what changes inside of the former and of the latter: line, first byte and the one behind the last, from 0
---@field text string      its first line
---@field mark? integer

---@class motet.Proposed   what waits in one file
---@field path string      real path
---@field name string      path in the project
---@field hunks motet.Hunk[]
---@field buf? integer
---@field above? integer   virtual lines above the first line
---@field is_drawn? boolean  it can be seen what waits
---@field beside? motet.Pair  it is shown side by side
---@field anchors? table<string, integer>   marks, by the names of hunks
for name, link in pairs({
  MotetAdd = "DiffAdd", MotetDelete = "DiffDelete", MotetHint = "Comment", MotetStale = "WarningMsg",
  MotetSign = "Special", MotetAddWord = "DiffText", MotetDeleteWord = "DiffText",
}) do
  api.nvim_set_hl(0, name, { link = link, default = true })
end

local function options()
  return require("motet").options.maps.review or {}
end

---What a map is called in a hint, or nil when it is left out.
function M.key(name)
  local lhs = (options()[name] or {}).n
  return lhs and (lhs:gsub("<[Ll]ocal[Ll]eader>", vim.g.maplocalleader or "\\")) or nil
end

-- `words` with `gap` between them, in one line, or in as many as the narrowest window needs.
local function flow(words, gap, width)
  local lines = { words[1] }
  for index = 2, #words do
    local longer = lines[#lines] .. gap .. words[index]
    if vim.fn.strdisplaywidth(longer) <= width then
      lines[#lines] = longer
    else
      lines[#lines + 1] = "  " .. words[index]
    end
  end
  return lines
end

local function hint(hunk, width)
  local words = { ("change %d of %d"):format(hunk.number, hunk.total) }
  if hunk.note ~= "" then
    words[1] = words[1] .. ", " .. hunk.note
  end
  if hunk.stale then
    words[1] = words[1] .. ": these lines are others now"
  end
  local names = hunk.stale and { "reject", "beside" } or { "accept", "reject", "amend", "split", "beside" }
  for _, name in ipairs(names) do
    local lhs = (name ~= "split" or #hunk.parts > 1) and M.key(name)
    words[#words + 1] = lhs and lhs .. " " .. (name == "beside" and "side by side" or name) or nil
  end
  return vim.tbl_map(function(line)
    return { { line, hunk.stale and "MotetStale" or "MotetHint" } }
  end, flow(words, "  ", width))
end

-- Above the hunk, so that it is read before the decision.
local function caution(hunk, width)
  return vim.tbl_map(function(line)
    return { { line, "MotetStale" } }
  end, flow(vim.split(hunk.caution, " "), " ", width))
end

-- Virtual lines know no tab stops.
local function expanded(text, tabstop)
  if not text:find("\t", 1, true) then
    return text
  end
  local done = ""
  for piece, tab in text:gmatch("([^\t]*)(\t?)") do
    done = done .. piece
    if tab ~= "" then
      done = done .. (" "):rep(tabstop - vim.fn.strdisplaywidth(done) % tabstop)
    end
  end
  return done
end

---Virtual lines of new text. `marked`: what stands out in them, as in the parts of a hunk.
function M.lines(lines, buf, marked)
  local drawn, tabstop = {}, vim.bo[buf].tabstop
  local ends = {} -- how far each line is drawn, in bytes
  local function draw(index, to, group)
    local from = ends[index] or 0
    if to > from then -- where tab stops are depends on all that is before them
      local before = #expanded(lines[index]:sub(1, from), tabstop)
      table.insert(drawn[index], { expanded(lines[index]:sub(1, to), tabstop):sub(before + 1), group })
      ends[index] = to
    end
  end
  for index = 1, #lines do
    drawn[index] = {}
  end
  for _, mark in ipairs(marked or {}) do
    if drawn[mark[1] + 1] then
      draw(mark[1] + 1, mark[2], "MotetAdd")
      draw(mark[1] + 1, mark[3], "MotetAddWord")
    end
  end
  for index, line in ipairs(lines) do
    draw(index, #line, "MotetAdd")
    drawn[index] = #drawn[index] > 0 and drawn[index] or { { " ", "MotetAdd" } }
  end
  return drawn
end

-- At most half a window of new lines is shown in place.
local function added(lines, buf, most, marked)
  if #lines <= most then
    return M.lines(lines, buf, marked)
  end
  local shown = M.lines(vim.list_slice(lines, 1, most - 1), buf, marked)
  local lhs = M.key("beside")
  local rest = ("… %d more lines%s"):format(#lines - most + 1, lhs and ", " .. lhs .. " side by side" or "")
  shown[most] = { { rest, "MotetHint" } }
  return shown
end

-- Rows and columns of the smallest window that shows the buffer.
local function size(buf)
  local rows, columns = vim.o.lines, vim.o.columns
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    rows = math.min(rows, api.nvim_win_get_height(win))
    columns = math.min(columns, api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff)
  end
  return rows, columns
end

-- Where virtual lines are put that are to stand before `row`: below the row before it, or above the first.
local function put(file, row, lines)
  local buf = file.buf ---@cast buf integer
  local last = api.nvim_buf_line_count(buf)
  local is_blank = last == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
  local above = row == 0 and not is_blank
  api.nvim_buf_set_extmark(buf, ns, above and 0 or math.min(math.max(row - 1, 0), last - 1), 0, {
    virt_lines = lines,
    virt_lines_above = above,
  })
  if above then
    file.above = (file.above or 0) + #lines
  end
end

-- A stale hunk is where its anchor is; every other one is anchored where it is.
local function anchor(file, hunk, kept)
  local before = file.anchors and file.anchors[hunk.id]
  if hunk.stale then
    local at = before and api.nvim_buf_get_extmark_by_id(file.buf, anchors, before, { details = true }) or {}
    if at[1] then -- what was replaced as a whole stood before its mark
      hunk.row = at[3].end_row > at[1] and at[1] or math.max(at[1] - 1, 0)
    end
    kept[hunk.id] = before
  elseif hunk.count > 0 and hunk.row + hunk.count <= api.nvim_buf_line_count(file.buf) then
    local last = hunk.row + hunk.count == api.nvim_buf_line_count(file.buf)
    kept[hunk.id] = api.nvim_buf_set_extmark(file.buf, anchors, hunk.row, 0, {
      id = before, end_row = hunk.row + hunk.count, end_col = 0, strict = not last,
    })
  end
end

local function draw_hunk(file, hunk, most, width)
  local buf = file.buf ---@cast buf integer
  local last = api.nvim_buf_line_count(buf)
  local row = math.min(hunk.row, last - 1)
  local finish = math.min(hunk.row + hunk.count, last)
  hunk.mark = api.nvim_buf_set_extmark(buf, ns, row, 0, {
    end_row = hunk.count > 0 and finish or row,
    end_col = 0,
    strict = false,
  })
  api.nvim_buf_set_extmark(buf, ns, row, 0, {
    sign_text = hunk.stale and "!" or "┃",
    sign_hl_group = hunk.stale and "MotetStale" or "MotetSign",
  })
  local left = hunk.stale and {} or hunk.parts
  if (hunk.caution or "") ~= "" and not hunk.stale and not file.beside then
    put(file, row, caution(hunk, width))
  end
  for index, part in ipairs(left) do
    local first, count = hunk.row + part[1], part[2]
    if count > 0 and not file.beside then
      api.nvim_buf_set_extmark(buf, ns, first, 0, {
        end_row = first + count, end_col = 0, hl_group = "MotetDelete", hl_eol = true, strict = false,
      })
      for _, mark in ipairs(part[4] or {}) do
        api.nvim_buf_set_extmark(buf, ns, math.min(first + mark[1], last - 1), mark[2], {
          end_col = mark[3], hl_group = "MotetDeleteWord", priority = 4097, strict = false,
        })
      end
    end
    local lines = file.beside and {} or added(part[3], buf, most, part[5])
    if index == #left and not file.beside then
      vim.list_extend(lines, hint(hunk, width))
    end
    if #lines > 0 then
      put(file, first + count, lines)
    end
  end
  if #left == 0 and not file.beside then
    put(file, row + 1, hint(hunk, width))
  end
end

-- Virtual lines above the first line are seen only when the window is told to show that many.
function M.reveal(file, win)
  if file.above and api.nvim_win_get_buf(win) == file.buf then
    api.nvim_win_call(win, function()
      if vim.fn.line("w0") == 1 then
        vim.fn.winrestview({ topline = 1, topfill = file.above })
      end
    end)
  end
end

---Draw all hunks of a file in its buffer.
---@param file motet.Proposed
function M.draw(file)
  local buf = file.buf ---@cast buf integer
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  file.above = nil
  local rows, columns = size(buf)
  local most = math.max(math.floor(rows / 2), 2)
  local kept = {}
  for _, hunk in ipairs(file.hunks) do
    anchor(file, hunk, kept)
    draw_hunk(file, hunk, most, columns)
  end
  for id, mark in pairs(file.anchors or {}) do
    if not kept[id] then
      api.nvim_buf_del_extmark(buf, anchors, mark)
    end
  end
  file.anchors = kept
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    M.reveal(file, win)
  end
end

---Where the hunks of a buffer are by now, as far as that is known: names, first rows, and those after the last.
---@return [string, integer, integer][]
function M.anchors(file)
  local found = {}
  for id, mark in pairs(file.anchors or {}) do
    local at = api.nvim_buf_get_extmark_by_id(file.buf, anchors, mark, { details = true })
    if at[1] then
      found[#found + 1] = { id, at[1], at[3].end_row }
    end
  end
  return found
end

---Take everything away again.
function M.clear(buf)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  api.nvim_buf_clear_namespace(buf, anchors, 0, -1)
end

-- Rows of a hunk now, from 0 and the end exclusive: marks move with the text.
function M.range(file, hunk)
  if not file.buf or not hunk.mark then
    return hunk.row, hunk.row + hunk.count
  end
  local found = api.nvim_buf_get_extmark_by_id(file.buf, ns, hunk.mark, { details = true })
  return found[1] or hunk.row, found[3] and found[3].end_row or hunk.row
end

return M
