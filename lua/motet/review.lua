-- Proposals in the buffers of their files: which there are, ways from one to the next, and keys. What a key means is decided by
-- the program; the text of a buffer is not touched here.
local api = vim.api
local hunks = require("motet.hunks")
local keys = require("motet.review_keys")
local process = require("motet.process")
local windows = require("motet.proposal_windows")
local M = {}

local group = api.nvim_create_augroup("motet.review", {})

local proposed = {} ---@type table<string, motet.Proposed>
local order = {} ---@type string[]

local function tell(...)
  process.tell("review", ...)
end

-- --- which hunk ------------------------------------------------------------------------------------------------

local function file_of(buf)
  for _, file in pairs(proposed) do
    if file.buf == buf then
      return file
    end
  end
end

---The hunk at the cursor. One that only adds lines is at both of the lines around it.
local function at_cursor(file)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  for _, hunk in ipairs(file.hunks) do
    local first, finish = hunks.range(file, hunk)
    local from = hunk.count == 0 and first - 1 or first
    if row >= from and row <= math.max(finish - 1, first) then
      return hunk
    end
  end
end

local function ordinary(win)
  return vim.bo[api.nvim_win_get_buf(win)].buftype == ""
    and not vim.wo[win].winfixbuf
    and api.nvim_win_get_config(win).relative == ""
end

-- Be in a window with the file: one that shows it, this one, another, or a new one.
local function visit(file)
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if file.buf and api.nvim_win_get_buf(win) == file.buf then
      api.nvim_set_current_win(win)
      return
    end
  end
  local wins = vim.tbl_filter(ordinary, { api.nvim_get_current_win(), unpack(api.nvim_tabpage_list_wins(0)) })
  if wins[1] then
    api.nvim_set_current_win(wins[1])
  else
    vim.cmd("topleft vsplit")
    vim.wo.winfixbuf = false
  end
  vim.cmd("silent hide edit " .. vim.fn.fnameescape(vim.fn.fnamemodify(file.path, ":.")))
end

local function go(file, hunk)
  vim.cmd("normal! m'")
  local first = hunks.range(file, hunk)
  api.nvim_win_set_cursor(0, { math.min(first + 1, api.nvim_buf_line_count(0)), 0 })
  vim.cmd("normal! zvzz")
  if file.buf == api.nvim_get_current_buf() then
    hunks.reveal(file, 0)
  end
end

---@class motet.Stop   a hunk on the way through all files
---@field file motet.Proposed
---@field hunk motet.Hunk
---@field place integer     number of its file
---@field row integer       where it is now

---@return motet.Stop[]   files as they came, in each from the first hunk to the last
local function all()
  local stops = {}
  for place, path in ipairs(order) do
    local file = proposed[path]
    for _, hunk in ipairs(file.hunks) do
      local row = hunks.range(file, hunk)
      stops[#stops + 1] = { file = file, hunk = hunk, place = place, row = row }
    end
  end
  table.sort(stops, function(a, b)
    return a.place < b.place or (a.place == b.place and a.row < b.row)
  end)
  return stops
end

local function jump(step)
  local stops = all()
  if #stops == 0 then
    keys.say_nothing_waits()
    return
  end
  local here = file_of(api.nvim_get_current_buf())
  local place = here and vim.fn.index(order, here.path) + 1 or 0
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local to = step > 0 and stops[1] or stops[#stops]
  for index = step > 0 and #stops or 1, step > 0 and 1 or #stops, -step do
    local one = stops[index]
    local distance = one.place ~= place and one.place - place or one.row - row
    if distance * step > 0 and place > 0 then
      to = one
    end
  end
  visit(to.file)
  go(to.file, to.hunk)
end

-- What was decided at the cursor: when that is done and the human has not gone elsewhere, the next one is at the cursor.
local decided ---@type { file: motet.Proposed, hunk: motet.Hunk, row: integer }?

local function move_on(file)
  local one = decided
  if not one or one.file ~= file then
    return
  end
  for _, hunk in ipairs(file.hunks) do
    if hunk.id == one.hunk.id then
      return -- it waits as before
    end
  end
  decided = nil
  local row = api.nvim_win_get_cursor(0)[1]
  local is_here = api.nvim_get_current_buf() == file.buf and api.nvim_get_mode().mode == "n"
  if is_here and math.abs(row - one.row) <= one.hunk.count and not at_cursor(file) then
    local next_one = file.hunks[1]
    for index = #file.hunks, 1, -1 do
      local first = hunks.range(file, file.hunks[index])
      next_one = first + 1 >= row and file.hunks[index] or next_one
    end
    go(file, next_one)
  end
end

-- --- keys ------------------------------------------------------------------------------------------------------

local function at(act, more)
  return function()
    local file = file_of(api.nvim_get_current_buf())
    local hunk = file and file.is_drawn and at_cursor(file)
    if hunk and vim.fn.foldclosed(".") == -1 then
      decided = { file = file, hunk = hunk, row = api.nvim_win_get_cursor(0)[1] }
      more(act, hunk)
    elseif hunk then
      go(file, hunk) -- in a closed fold: it is to be seen first
    else
      jump(1)
    end
  end
end

local function whole(act, more)
  return function()
    local file = file_of(api.nvim_get_current_buf())
    if file and file.is_drawn then
      more(act, file.path)
    else
      jump(1)
    end
  end
end

local function remarked(act, what)
  vim.ui.input({ prompt = "why not (may be empty): " }, function(remark)
    if remark then
      tell(act, what, remark)
    end
  end)
end

local function one(act, hunk)
  tell(act, hunk.id)
end

local acts = {
  accept = at("accept", one),
  reject = at("reject", function(act, hunk)
    remarked(act, hunk.id)
  end),
  amend = at("amend", one),
  split = at("split", one),
  accept_file = whole("accept_file", tell),
  reject_file = whole("reject_file", remarked),
  beside = function()
    local file = file_of(api.nvim_get_current_buf())
    local pair, has_left = windows.pair(file or {})
    if pair and has_left then
      api.nvim_set_current_win(pair.left)
    elseif file and file.is_drawn then
      tell("beside", file.path)
    else
      jump(1)
    end
  end,
  next = function()
    jump(1)
  end,
  previous = function()
    jump(-1)
  end,
  quickfix = function()
    M.quickfix()
  end,
}

---Accept all that waits, in all files.
function M.accept_all()
  for _, path in ipairs(order) do
    tell("accept_file", path)
  end
end

---Reject all that waits, with one reason.
function M.reject_all()
  vim.ui.input({ prompt = "why not (may be empty): " }, function(remark)
    for index, path in ipairs(remark and order or {}) do
      tell("reject_file", path, index == 1 and remark or "")
    end
  end)
end

---What a key does: `accept`, `reject`, `amend`, `split`, `accept_file`, `reject_file`, `beside`, `next`, `previous`, `quickfix`.
---@param name string
function M.act(name)
  acts[name]()
end

-- --- buffers ---------------------------------------------------------------------------------------------------

-- The text has changed: the program looks whether each hunk still has its place, once the human pauses.
local function watch(file)
  local timer = assert(vim.uv.new_timer())
  local buf = file.buf
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      if proposed[file.path] ~= file or file.buf ~= buf then
        timer:close()
        return true
      end
      timer:start(100, 0, vim.schedule_wrap(function()
        if proposed[file.path] == file then
          tell("changed", file.path)
        end
      end))
    end,
  })
  api.nvim_create_autocmd("BufUnload", {
    group = group,
    buffer = buf,
    callback = function()
      file.buf, file.anchors, file.is_drawn = nil, nil, false
    end,
  })
end

local function let_go(file)
  local buf = file.buf
  windows.part(file)
  if buf and api.nvim_buf_is_loaded(buf) then
    hunks.clear(buf)
    api.nvim_clear_autocmds({ group = group, buffer = buf })
    keys.linger(buf)
  end
end

-- The keys are there before the changes are drawn; what was not drawn cannot be decided.
local function settle(file, buf)
  if file.buf ~= buf then
    file.buf = buf
    keys.take(buf)
    watch(file)
  end
end

-- Show what waits in the buffer of its file.
local function draw(file)
  file.is_drawn = true
  hunks.draw(file)
end

local function emit()
  require("motet.events").emit("Review", { pending = M.pending() })
end

---What waits in a file now, as its buffer was at `tick`.
---@param found motet.Hunk[]
function M.show(path, name, tick, found)
  local file = proposed[path]
  if #found == 0 then
    if file then
      let_go(file)
      proposed[path] = nil
      order = vim.tbl_filter(function(one)
        return one ~= path
      end, order)
      emit()
    end
    return
  end
  if not file then
    file = { path = path, name = name, hunks = found }
    proposed[path], order[#order + 1] = file, path
  end
  local buf = require("motet.files").buffer(path)
  if buf then
    settle(file, buf)
  end
  if buf and tick ~= api.nvim_buf_get_changedtick(buf) then
    tell("changed", path) -- it has changed meanwhile, or was opened only now
    return
  end
  file.hunks = found
  if buf then
    draw(file)
    move_on(file)
  end
  if file.beside then
    tell("beside", path)
  end
  emit()
end

-- A file is opened in which something waits: its keys are there at once.
api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufWinEnter" }, {
  group = group,
  callback = function(args)
    if next(proposed) and vim.bo[args.buf].buftype == "" then
      local path = require("motet.files").real(args.buf)
      if proposed[path] then
        settle(proposed[path], args.buf)
        draw(proposed[path])
        tell("changed", path)
      end
    end
  end,
})

-- Back at the top, what stands above the first line is seen again; it can be scrolled away.
local tops = {} ---@type table<integer, integer>
api.nvim_create_autocmd("WinScrolled", {
  group = group,
  callback = function()
    for _, file in pairs(proposed) do
      for _, win in ipairs(file.above and vim.fn.win_findbuf(file.buf) or {}) do
        local top = vim.fn.line("w0", win)
        if top == 1 and (tops[win] or 1) > 1 then
          hunks.reveal(file, win)
        end
        tops[win] = top
      end
    end
  end,
})

api.nvim_create_autocmd("WinResized", {
  group = group,
  callback = function()
    for _, file in pairs(proposed) do
      if file.buf and file.is_drawn then
        hunks.draw(file)
      end
    end
  end,
})

---The change number of a file's buffer, and where its hunks are in it.
function M.marks(path)
  local file = proposed[path]
  if not file or not file.buf or not api.nvim_buf_is_loaded(file.buf) then
    return { -1, {} }
  end
  return { api.nvim_buf_get_changedtick(file.buf), hunks.anchors(file) }
end

---How many changes wait.
---@return integer
function M.pending()
  return #all()
end

---Go to the change at the cursor, or to the next one that waits.
function M.review()
  local file = file_of(api.nvim_get_current_buf())
  local hunk = file and at_cursor(file)
  if hunk then
    go(file, hunk)
  else
    jump(1)
  end
end

---All that waits, in the quickfix list.
function M.quickfix()
  local stops = all()
  if #stops == 0 then
    keys.say_nothing_waits()
    return
  end
  local items = vim.tbl_map(function(stop)
    local hunk = stop.hunk
    local text = ("change %d of %d: %s"):format(hunk.number, hunk.total, hunk.text)
    return { filename = stop.file.path, lnum = stop.row + 1, text = text }
  end, stops)
  vim.fn.setqflist({}, " ", { title = "motet: changes that wait", items = items })
  vim.cmd("botright copen")
end

---What was changed: path, line and text of each change.
function M.changes(rows)
  local items = vim.tbl_map(function(row)
    return { filename = row[1], lnum = row[2], text = row[3] }
  end, rows)
  vim.fn.setqflist({}, " ", { title = "motet: what changed", items = items })
  vim.cmd("botright copen")
end

M.amend = windows.amend
M.amended = windows.amended

-- What keys beside a file need to know.
local beside = {
  described = keys.described,
  of = keys.of,
  act = M.act,
  told = function(name)
    local lhs = hunks.key(name)
    return lhs and (": %s does it"):format(lhs) or ""
  end,
}

---A file, and beside it how it would be.
function M.beside(path, _, lines)
  local file = proposed[path]
  if file and file.beside then
    windows.refresh(file, lines)
  elseif file then
    visit(file)
    windows.beside(file, lines, beside, function()
      if proposed[path] == file and file.buf then
        hunks.draw(file)
      end
    end)
  end
end

---The program has gone: nothing waits any more.
function M.lost()
  for _, file in pairs(proposed) do
    let_go(file)
  end
  proposed, order = {}, {}
end

return M
