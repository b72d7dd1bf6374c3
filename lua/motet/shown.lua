-- Texts to be read, each in a window of its own below the one that they are about. `q` closes it.
local api = vim.api

local M = {}

local MOST_ROWS = 0.4 -- of the editor

---@param name string   what it is; a window that shows the same is used again
---@param lines string[]
function M.show(name, lines)
  local title = "motet://" .. name
  local buf = vim.fn.bufnr("^" .. title .. "$")
  if buf == -1 then
    buf = api.nvim_create_buf(false, true)
    api.nvim_buf_set_name(buf, title)
    vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buf, desc = "motet: close", nowait = true })
  end
  local bo = vim.bo[buf]
  bo.modeline, bo.bufhidden, bo.modifiable = false, "hide", true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  bo.modifiable, bo.modified = false, false
  local win = vim.fn.bufwinid(buf)
  if win ~= -1 then
    api.nvim_set_current_win(win)
  else
    local rows = math.min(math.max(#lines, 3), math.floor(vim.o.lines * MOST_ROWS))
    win = api.nvim_open_win(buf, true, { split = "below", height = rows })
    vim.wo[win][0].wrap, vim.wo[win][0].winfixheight = false, true
  end
  api.nvim_win_set_cursor(win, { 1, 0 })
  return buf
end

return M
