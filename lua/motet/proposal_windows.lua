-- Windows of a review besides those of the files: to rewrite what is proposed, and to see it side by side.
local api = vim.api
local hunks = require("motet.hunks")
local M = {}

local amending = {} ---@type table<string, integer>   buffers, by the hunks that are rewritten in them
local group = api.nvim_create_augroup("motet.review.windows", {})

---Have the human rewrite the new lines of a hunk: `:w` takes what then stands there.
function M.amend(id, title, path, lines)
  if amending[id] and api.nvim_buf_is_loaded(amending[id]) then
    vim.cmd("belowright sbuffer " .. amending[id])
    return
  end
  vim.cmd("belowright " .. math.min(math.max(#lines + 1, 5), math.floor(vim.o.lines / 2)) .. "new")
  local buf = api.nvim_get_current_buf()
  local bo = vim.bo[buf]
  bo.buftype, bo.bufhidden, bo.swapfile = "acwrite", "hide", false
  amending[id] = buf
  api.nvim_buf_set_name(buf, "motet://amend/" .. title)
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

---A file, and beside it how it would be, in a tab page of their own.
---@param file motet.Proposed
---@param is_open fun(): boolean   whether the file still waits
function M.beside(file, lines, is_open)
  vim.cmd("tab split")
  local tab = api.nvim_get_current_tabpage()
  local filetype = vim.bo.filetype
  vim.cmd("diffthis | rightbelow vnew")
  local bo = vim.bo[api.nvim_get_current_buf()]
  bo.buftype, bo.bufhidden, bo.swapfile = "nofile", "wipe", false
  pcall(api.nvim_buf_set_name, 0, "motet://proposed/" .. file.name)
  api.nvim_buf_set_lines(0, 0, -1, false, lines)
  bo.filetype = filetype
  file.beside = true -- virtual lines would shift one side
  if file.buf then
    hunks.draw(file)
  end
  vim.cmd("diffthis | normal! gg")
  vim.cmd("syncbind | wincmd p")
  api.nvim_create_autocmd("TabClosed", {
    group = group,
    callback = function()
      if api.nvim_tabpage_is_valid(tab) then
        return false
      end
      file.beside = nil
      if is_open() and file.buf then
        hunks.draw(file)
      end
      return true
    end,
  })
end

return M
