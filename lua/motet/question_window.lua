-- The window of a question: its whole text, wrapped and scrolled, and below it the answers. It is motet's own, because
-- what people put in the place of `vim.ui.select` shows one line of a question, if that.
local api = vim.api
local events = require("motet.events")
local swallow = require("motet.keys").swallow

local M = {}

---@class motet.Question
---@field number integer
---@field kind "choose"|"mark"|"type"   one answer, several, or a text
---@field head string              what is asked; may have several lines
---@field rows string[][]          label and text; a text without a label goes on from the row before
---@field answers string[][]       key and label
---@field safe integer?            the answer that does no harm, from 1

local ns = api.nvim_create_namespace("motet.question")
local WIDEST, NARROW = 100, 60

for name, link in pairs({ Head = "Title", Label = "Identifier", Beware = "WarningMsg", Key = "Special", Bar = "PmenuSel" }) do
  api.nvim_set_hl(0, "MotetQuestion" .. name, { link = link, default = true })
end

-- `text` in pieces of at most `first` cells, then `rest` cells; broken behind a blank where that is not far.
local function broken(text, first, rest)
  if #text <= first and not text:find("[^ -~]") then
    return { text }
  end
  local pieces, piece, cells, blank = {}, {}, 0, 0
  for _, char in ipairs(vim.fn.split(text, "\\zs")) do
    local size = api.nvim_strwidth(char)
    if cells + size > (#pieces == 0 and first or rest) and #piece > 0 then
      local cut = blank * 2 > #piece and blank or #piece
      pieces[#pieces + 1] = table.concat(piece, "", 1, cut)
      piece = vim.list_slice(piece, cut + 1)
      cells, blank = api.nvim_strwidth(table.concat(piece)), 0
    end
    piece[#piece + 1], cells = char, cells + size
    blank = char == " " and #piece or blank
  end
  pieces[#pieces + 1] = table.concat(piece)
  return pieces
end

-- The lines of the text, and what is highlighted in them: line, end column, group.
local function text_lines(question, width)
  local lines, marks = {}, {}
  local function put(line, to, group)
    lines[#lines + 1] = line
    marks[#marks + 1] = group and { #lines, to, group } or nil
  end
  for _, line in ipairs(vim.split(question.head, "\n", { plain = true })) do
    for _, piece in ipairs(broken(line, width, width)) do
      put(piece, #piece, "MotetQuestionHead")
    end
  end
  local hang = width < NARROW and 2 or 10
  for _, row in ipairs(question.rows) do
    local label, text = unpack(row)
    label = label ~= "" and label .. ": " or ""
    label = label .. (" "):rep(hang - #label)
    for number, piece in ipairs(broken(text, width - #label, width - hang - 2)) do
      local beware = row[1] == "beware"
      if number == 1 then
        put(label .. piece, beware and #label + #piece or #label, beware and "MotetQuestionBeware" or "MotetQuestionLabel")
      else
        put((" "):rep(hang + 2) .. piece)
      end
    end
  end
  return lines, marks
end

-- The lines of the answers, and the spots of each in them: line, first and end column. `marked`: those that are taken, where
-- there may be several.
local function answer_lines(question, width, marked)
  local lines, spots = {}, {}
  for index, answer in ipairs(question.answers) do
    local box = question.kind == "mark" and (marked[index] and "[x] " or "[ ] ") or ""
    local pieces = broken((" %s %s%s "):format(answer[1], box, answer[2]), width, width)
    spots[index] = {}
    for number, piece in ipairs(pieces) do
      local last = lines[#lines] or ""
      if #lines == 0 or number > 1 or api.nvim_strwidth(last .. " " .. piece) > width then
        lines[#lines + 1], last = piece, ""
      else
        last = last .. " "
        lines[#lines] = last .. piece
      end
      table.insert(spots[index], { #lines, #last, #last + #piece })
    end
  end
  return #lines > 0 and lines or { "" }, spots
end

local function scratch()
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden, vim.bo[buf].modeline, vim.bo[buf].undolevels = "wipe", false, -1
  return buf
end

local function fill(buf, lines)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
end

local Window = {}
Window.__index = Window

-- The two windows as one box: its width, and where each half of it stands.
function Window:_box()
  local rows, columns = vim.o.lines - vim.o.cmdheight, vim.o.columns
  local width = math.max(math.min(columns - 2, WIDEST), 10)
  local text, marks = text_lines(self.question, width)
  local answers, spots = answer_lines(self.question, width, self.marked)
  local below = math.min(#answers, math.max(math.floor((rows - 3) / 2), 1))
  local above = math.max(math.min(#text, rows - 3 - below), 1)
  local top, left = math.max(math.floor((rows - above - below - 3) / 2), 0), math.max(math.floor((columns - width - 2) / 2), 0)
  local line, side, corners = "─", "│", { "╭", "╮", "├", "┤", "╯", "╰" }
  if vim.o.ambiwidth == "double" then -- these would be two cells wide
    line, side, corners = "-", "|", { "+", "+", "+", "+", "+", "+" }
  end
  self.line = line
  local common = { relative = "editor", style = "minimal", width = width, col = left, zindex = 60 }
  local upper = { corners[1], line, corners[2], side, "", "", "", side }
  local lower = { corners[3], line, corners[4], side, corners[5], line, corners[6], side }
  return {
    text = vim.tbl_extend("force", common, { row = top, height = above, border = upper, title = " motet asks " }),
    answers = vim.tbl_extend("force", common, { row = top + above + 1, height = below, border = lower }),
  }, text, marks, answers, spots
end

-- How many lines stand below what is seen of the text.
function Window:_below()
  local last = vim.fn.line("w$", self.wins.text)
  local left = api.nvim_buf_line_count(self.bufs.text) - last
  self.is_read = self.is_read or left <= 0
  return math.max(left, 0)
end

-- Between the halves: that there is more; in the answers: the bar.
function Window:_mark(is_refused)
  local below = self:_below()
  local title = { { self.line, "FloatBorder" } }
  if self.question.kind == "mark" then
    title = { { " x marks, <CR> takes what is marked ", is_refused and "ErrorMsg" or "FloatBorder" } }
  end
  if below > 0 then
    local text = (" %d more %s (<Space>) "):format(below, below == 1 and "line" or "lines")
    if is_refused then
      text = (" read it to its end first: %d more (<Space>) "):format(below)
    end
    title = { { text, is_refused and "ErrorMsg" or "MotetQuestionBeware" } }
  end
  api.nvim_win_set_config(self.wins.answers, { title = title })
  local buf = self.bufs.answers
  if self.question.kind == "type" then
    return
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for index, spots in ipairs(self.spots) do
    for number, spot in ipairs(spots) do
      local line, from, to = unpack(spot)
      if index == self.at then
        api.nvim_buf_set_extmark(buf, ns, line - 1, from, { end_col = to, hl_group = "MotetQuestionBar" })
        api.nvim_win_set_cursor(self.wins.answers, { line, from })
      elseif number == 1 then
        local key = #self.question.answers[index][1]
        api.nvim_buf_set_extmark(buf, ns, line - 1, from + 1, { end_col = from + 1 + key, hl_group = "MotetQuestionKey" })
      end
    end
  end
end

function Window:_move(by)
  local count = #self.question.answers
  if count > 0 then
    self.at = self.at and (self.at - 1 + by) % count + 1 or (by > 0 and 1 or count)
    self:_mark()
  end
end

function Window:_scroll(by)
  local win = self.wins.text
  local height, count = api.nvim_win_get_height(win), api.nvim_buf_line_count(self.bufs.text)
  api.nvim_win_call(win, function()
    local top = math.max(math.min(vim.fn.line("w0") + by, count - height + 1), 1)
    vim.fn.winrestview({ topline = top, lnum = top, col = 0 })
  end)
  self:_mark()
end

-- Whoever has not had the whole text on the screen can only give the safe answer.
function Window:_answer(index)
  if index and index ~= self.question.safe then
    self:_mark()
    if not self.is_read then
      return self:_mark(true)
    end
  end
  self.answered(index)
end

-- Take the answer under the bar among those that are given, or out of them again.
function Window:_toggle(index)
  if index then
    self.at, self.marked[index] = index, not self.marked[index] or nil
    local lines, spots = answer_lines(self.question, api.nvim_win_get_width(self.wins.answers), self.marked)
    self.spots = spots
    fill(self.bufs.answers, lines)
    self:_mark()
  end
end

function Window:_take_marked()
  self:_mark()
  local marked = vim.tbl_keys(self.marked)
  table.sort(marked)
  if #marked == 0 or not self.is_read then
    return self:_mark(true)
  end
  self.answered(marked)
end

function Window:_typed()
  self.answered(table.concat(api.nvim_buf_get_lines(self.bufs.answers, 0, -1, false), "\n"))
end

local function page(self)
  return math.max(api.nvim_win_get_height(self.wins.text) - 1, 1)
end

function Window:_map()
  local function map(bufs, modes, keys, act)
    for _, buf in ipairs(bufs) do
      for _, key in ipairs(keys) do
        vim.keymap.set(modes, key, function()
          act()
          if self.is_closed then
            swallow(key)
          end
        end, { buffer = buf, nowait = true })
      end
    end
  end
  local text, answers = self.bufs.text, self.bufs.answers
  local both = { text, answers }
  map(both, "n", { "<Esc>", "q", "<C-c>" }, function() self:_answer(nil) end)
  map(both, "n", { "<C-d>", "<C-f>", "<PageDown>" }, function() self:_scroll(page(self)) end)
  map(both, "n", { "<C-u>", "<C-b>", "<PageUp>" }, function() self:_scroll(-page(self)) end)
  if self.question.kind == "type" then
    map({ answers }, "i", { "<PageDown>" }, function() self:_scroll(page(self)) end)
    map({ answers }, "i", { "<PageUp>" }, function() self:_scroll(-page(self)) end)
    map(both, "n", { "<CR>" }, function() self:_typed() end)
    for _, key in ipairs({ "<CR>", "<C-c>" }) do -- insert mode ends here, and moves no cursor elsewhere
      vim.keymap.set("i", key, "<Esc>" .. key, { buffer = answers, remap = true })
    end
    return
  end
  -- Where all of the text is seen there is nothing to scroll.
  local function line(by)
    return function()
      if api.nvim_buf_line_count(text) <= api.nvim_win_get_height(self.wins.text) then
        self:_move(by)
      else
        self:_scroll(by)
      end
    end
  end
  local is_many = self.question.kind == "mark"
  map({ text }, "n", { "<Space>" }, function()
    if is_many and self:_below() == 0 then
      self:_toggle(self.at)
    else
      self:_scroll(page(self))
    end
  end)
  map({ text }, "n", { "j", "<Down>", "<C-e>" }, line(1))
  map({ text }, "n", { "k", "<Up>", "<C-y>" }, line(-1))
  map({ text }, "n", { "l", "<Right>", "<Tab>" }, function() self:_move(1) end)
  map({ text }, "n", { "h", "<Left>", "<S-Tab>" }, function() self:_move(-1) end)
  map({ text }, "n", { "<CR>" }, function()
    if is_many then
      self:_take_marked()
    elseif self.at then
      self:_answer(self.at)
    end
  end)
  for index, answer in ipairs(self.question.answers) do
    map({ text }, "n", { answer[1] }, function()
      if is_many then
        self:_toggle(index)
      else
        self:_answer(index)
      end
    end)
  end
  if is_many then
    map({ text }, "n", { "x" }, function() self:_toggle(self.at) end)
  end
end

---Draw it anew, for the size that the editor has now.
function Window:draw()
  local box, text, marks, answers, spots = self:_box()
  self.spots = spots
  fill(self.bufs.text, text)
  for _, mark in ipairs(marks) do
    local line, to, group = unpack(mark)
    api.nvim_buf_set_extmark(self.bufs.text, ns, line - 1, 0, { end_col = to, hl_group = group })
  end
  if self.question.kind ~= "type" then
    fill(self.bufs.answers, answers)
  end
  for name, at in pairs(box) do
    if self.wins[name] then
      api.nvim_win_set_config(self.wins[name], at)
    else
      at.focusable, at.noautocmd = name == "text" or self.question.kind == "type", true
      local win = api.nvim_open_win(self.bufs[name], false, at)
      self.wins[name] = win
      vim.wo[win].winhighlight = "Normal:Normal,FloatBorder:Comment"
      vim.wo[win].winfixbuf, vim.wo[win].scrolloff, vim.wo[win].wrap = true, 0, name ~= "text"
    end
  end
  self:_scroll(0)
end

---Whether the human has gone to another tab page.
function Window:is_elsewhere()
  return api.nvim_win_get_tabpage(self.wins.text) ~= api.nvim_get_current_tabpage()
end

---Go to it.
function Window:focus()
  self.from = api.nvim_get_current_win()
  local win = self.wins[self.question.kind == "type" and "answers" or "text"]
  events.past(function()
    api.nvim_set_current_win(win)
  end, function()
    return api.nvim_get_current_win() == win
  end)
  if self.question.kind == "type" then
    vim.cmd.startinsert()
  end
end

---Close it, and be again where one was.
function Window:close()
  if self.is_closed then
    return
  end
  self.is_closed = true
  api.nvim_del_augroup_by_id(self.group)
  local here = api.nvim_get_current_win()
  local is_in = here == self.wins.text or here == self.wins.answers
  local back = is_in and self.from and api.nvim_win_is_valid(self.from) and self.from
  local spot = back and api.nvim_win_get_cursor(back)
  local types = is_in and api.nvim_get_mode().mode:match("^i")
  if types then
    vim.cmd.stopinsert()
  end
  if back then
    events.past(function() api.nvim_set_current_win(back) end)
  end
  for _, win in pairs(self.wins) do
    pcall(api.nvim_win_close, win, true)
  end
  if types and back then
    vim.schedule(function() -- leaving insert mode has moved it
      if api.nvim_get_current_win() == back then
        pcall(api.nvim_win_set_cursor, back, spot)
      end
    end)
  end
end

---Show `question`, without going there. `answered` gets the index of an answer, from 1, those of several, or what was typed;
---nil: none.
---@param question motet.Question
---@param answered fun(value: integer|integer[]|string|nil)
function M.show(question, answered)
  local self = setmetatable({ question = question, answered = answered, at = question.safe, marked = {}, wins = {} }, Window)
  self.bufs = { text = scratch(), answers = scratch() }
  self.group = api.nvim_create_augroup(("motet.question.%d"):format(self.bufs.text), {})
  self:_map()
  local is_drawn, why = pcall(self.draw, self)
  if not is_drawn then
    self:close()
    error(why, 0)
  end
  local wins = { tostring(self.wins.text), tostring(self.wins.answers) }
  api.nvim_create_autocmd("WinClosed", { group = self.group, pattern = wins, callback = vim.schedule_wrap(function()
    if not self.is_closed then
      self.answered(nil)
    end
  end) })
  api.nvim_create_autocmd("WinScrolled", { group = self.group, pattern = wins[1], callback = function() self:_mark() end })
  api.nvim_create_autocmd("VimResized", { group = self.group, callback = function() self:draw() end })
  events.past(function()
    vim.bo[self.bufs.text].filetype, vim.bo[self.bufs.answers].filetype = "motet-question", "motet-answer"
  end)
  return self
end

return M
