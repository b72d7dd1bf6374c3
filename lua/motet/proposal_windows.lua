-- Windows of a review besides those of the files: to rewrite what is proposed, and to see it side by side.
local api = vim.api
local hunks = require("motet.hunks")
local M = {}

local amending = {} ---@type table<string, integer>   buffers, by the hunks that are rewritten in them
local group = api.nvim_create_augroup("motet.review.windows", {})

---Have the human rewrite the new lines of a hunk: `:w` takes what then stands there. `said`: what they stand for.
function M.amend(id, title, path, lines, said)
  if amending[id] and api.nvim_buf_is_loaded(amending[id]) then
    vim.cmd("belowright sbuffer " .. amending[id])
    return
  end
  vim.cmd("belowright " .. math.min(math.max(#lines + 1, 5), math.floor(vim.o.lines / 2)) .. "new")
  local buf = api.nvim_get_current_buf()
  local bo = vim.bo[buf]
  bo.buftype, bo.bufhidden, bo.swapfile = "acwrite", "hide", false
  amending[id] = buf
  vim.wo[0][0].winbar = " " .. said:gsub("%%", "%%%%")
  local name, number = "motet://amend/" .. title, 1
  while not pcall(api.nvim_buf_set_name, buf, name) do -- what was written there for another change is still kept
    number = number + 1
    name = ("motet://amend/%s (%d)"):format(title, number)
  end
  local levels = bo.undolevels
  bo.undolevels = -1
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  bo.undolevels, bo.modified = levels, false
  bo.filetype = vim.filetype.match({ filename = path, buf = buf }) or ""
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n") .. "\n"
      require("motet.process").tell("review", "amended", id, text)
      bo.modified = false
    end,
  })
end

---The rewritten lines are taken; if not, they stay in their buffer.
function M.amended(id, is_taken)
  local buf = amending[id]
  if not buf or not api.nvim_buf_is_loaded(buf) then
    return
  end
  if is_taken then
    amending[id] = nil
    api.nvim_buf_delete(buf, { force = true })
  else
    vim.bo[buf].modified = true
    if vim.fn.bufwinid(buf) == -1 then
      vim.cmd("belowright sbuffer " .. buf)
    end
  end
end

-- --- side by side ----------------------------------------------------------------------------------------------

---@class motet.Pair   the windows of a file and of how it would be
---@field left integer
---@field right integer
---@field buf integer     the right one's

local function set_lines(buf, lines)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable, vim.bo[buf].modified = false, false
end

-- The row in the file, from 1, that a row beside it belongs to.
local function row_of(file, buf, row)
  local function text(of)
    return table.concat(api.nvim_buf_get_lines(of, 0, -1, false), "\n") .. "\n"
  end
  local shift = 0
  for _, change in ipairs(vim.diff(text(file.buf), text(buf), { result_type = "indices" })) do
    local first, count, from, length = unpack(change) -- of nothing, the row before it is told
    if row < from then
      break
    elseif row < from + (length > 0 and length or 2) then
      return math.max(first + (count > 0 and math.min(row - from, count - 1) or 0), 1)
    end
    shift = first + math.max(count - 1, 0) - (from + math.max(length - 1, 0))
  end
  return math.max(row + shift, 1)
end

-- Keys beside a file do what they do in it, at the line that belongs to the cursor's.
local function map(file, keys)
  local pair = file.beside
  for name, desc in pairs(keys.described) do
    for mode, lhs in pairs(keys.of(name)) do
      if lhs then
        vim.keymap.set(mode, lhs, function()
          local row = row_of(file, pair.buf, api.nvim_win_get_cursor(pair.right)[1])
          api.nvim_set_current_win(pair.left)
          api.nvim_win_set_cursor(pair.left, { math.min(row, api.nvim_buf_line_count(0)), 0 })
          keys.act(name)
        end, { buffer = pair.buf, desc = "motet: " .. desc, nowait = true })
      end
    end
  end
end

---The windows of a file that is shown side by side, and which are still there.
function M.pair(file)
  local pair = file.beside
  return pair, pair and api.nvim_win_is_valid(pair.left), pair and api.nvim_win_is_valid(pair.right)
end

---One of both was closed, or nothing waits any more: the other closes, but for the last window, which has the file.
function M.part(file)
  local pair, has_left, has_right = M.pair(file)
  file.beside = nil
  if not pair then
    return
  end
  local is_last = #api.nvim_list_tabpages() == 1
  if has_left and not is_last then
    pcall(api.nvim_win_close, pair.left, false)
  elseif has_left then
    api.nvim_win_call(pair.left, vim.cmd.diffoff)
    vim.wo[pair.left].winhighlight = ""
  elseif has_right and is_last and file.buf then
    api.nvim_win_call(pair.right, vim.cmd.diffoff)
    api.nvim_win_set_buf(pair.right, file.buf)
    return
  end
  pcall(api.nvim_win_close, pair.right, true)
end

---A file, and beside it how it would be, in a tab page of their own.
---@param file motet.Proposed
---@param keys { described: table<string, string>, of: fun(name: string): table<string, string>, act: fun(name: string) }
---@param parted fun()   they are closed
function M.beside(file, lines, keys, parted)
  vim.cmd("tab split")
  local left, filetype = api.nvim_get_current_win(), vim.bo.filetype
  vim.cmd("diffthis | rightbelow vnew")
  vim.wo[left].winhighlight = "DiffAdd:MotetDelete" -- what only the file has is what is to go
  local buf, right = api.nvim_get_current_buf(), api.nvim_get_current_win()
  local bo = vim.bo[buf]
  bo.buftype, bo.bufhidden, bo.swapfile = "acwrite", "wipe", false
  pcall(api.nvim_buf_set_name, buf, "motet://proposed/" .. file.name)
  set_lines(buf, lines)
  bo.filetype = filetype
  file.beside = { left = left, right = right, buf = buf } -- no virtual lines: they would shift one side
  map(file, keys)
  hunks.draw(file)
  vim.cmd("diffthis")
  api.nvim_set_current_win(left)
  vim.cmd("normal! zz")
  vim.cmd("syncbind")
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      local how = keys.told("accept_file")
      vim.notify("motet: this is what is proposed; nothing of it is written yet" .. how, vim.log.levels.INFO)
    end,
  })
  api.nvim_create_autocmd("WinClosed", {
    group = group,
    pattern = { tostring(left), tostring(right) },
    callback = function()
      vim.schedule(function()
        M.part(file)
        parted()
      end)
      return true
    end,
  })
end

---How the file would be by now.
function M.refresh(file, lines)
  local pair, has_left, has_right = M.pair(file)
  if has_left and has_right then
    set_lines(pair.buf, lines)
    api.nvim_win_call(pair.left, vim.cmd.diffupdate)
  end
end

return M
