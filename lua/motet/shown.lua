-- Texts to be read, each in a window of its own below the one that they are about. `q` closes it.
local api = vim.api

local M = {}

local MOST_ROWS = 0.4 -- of the editor

local function buffer(name)
  local title = "motet://" .. name
  local buf = vim.fn.bufnr("^" .. title .. "$")
  if buf == -1 then
    buf = api.nvim_create_buf(false, true)
    api.nvim_buf_set_name(buf, title)
    vim.keymap.set("n", "q", "<Cmd>close | lua require('motet.keys').swallow('q')<CR>", { buffer = buf, desc = "motet: close", nowait = true })
    vim.bo[buf].modeline, vim.bo[buf].bufhidden = false, "hide"
  end
  return buf
end

local function set(buf, from, lines)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, from, -1, false, lines)
  vim.bo[buf].modifiable, vim.bo[buf].modified = false, false
end

local function window(buf, rows)
  local win = api.nvim_open_win(buf, false, { split = "below", height = rows })
  vim.wo[win][0].wrap, vim.wo[win][0].winfixheight = false, true
  return win
end

---@param name string   what it is; a window that shows the same is used again
---@param lines string[]
function M.show(name, lines)
  local buf = buffer(name)
  set(buf, 0, lines)
  local win = vim.fn.bufwinid(buf)
  if win == -1 then
    win = window(buf, math.min(math.max(#lines, 3), math.floor(vim.o.lines * MOST_ROWS)))
  end
  api.nvim_set_current_win(win)
  api.nvim_win_set_cursor(win, { 1, 0 })
  return buf
end

---Show a text that can be changed: `:w` hands it to `write`, and nothing is lost until that has taken it.
function M.edit(name, lines, write)
  local buf = buffer(name)
  vim.bo[buf].buftype, vim.bo[buf].filetype = "acwrite", "markdown"
  set(buf, 0, lines)
  vim.bo[buf].modifiable = true
  pcall(vim.keymap.del, "n", "q", { buffer = buf })
  api.nvim_create_autocmd("BufWriteCmd", {
    group = api.nvim_create_augroup("motet.shown." .. buf, {}),
    buffer = buf,
    callback = function()
      write(table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n"))
    end,
  })
  local win = vim.fn.bufwinid(buf)
  if win == -1 then
    win = window(buf, math.floor(vim.o.lines * 0.6))
  end
  api.nvim_set_current_win(win)
  api.nvim_win_set_cursor(win, { 1, 0 })
end

---What was written there was taken: its window closes.
function M.taken(name)
  local buf = buffer(name)
  vim.bo[buf].modified = false
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    pcall(api.nvim_win_close, win, true)
  end
  api.nvim_buf_delete(buf, { force = true })
end

---A program of motet's that asks the human, in a terminal. `ended` gets its exit code.
function M.terminal(words, ended)
  local program = require("motet.process").program()
  if not program then
    vim.notify("motet: the program `motet` is not on PATH (:checkhealth motet)", vim.log.levels.ERROR)
    return
  end
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  api.nvim_set_current_win(window(buf, math.floor(vim.o.lines * 0.6)))
  vim.fn.jobstart(vim.list_extend(program, words), {
    term = true,
    on_exit = function(_, code)
      ended(code)
    end,
  })
  vim.cmd.startinsert()
end

---Tell of something that goes on, without taking the human there. With `begins` what was told before is gone.
function M.append(name, lines, begins)
  local buf = buffer(name)
  set(buf, begins and 0 or -1, lines)
  local win = vim.fn.bufwinid(buf)
  if win == -1 and begins then
    win = window(buf, math.min(10, math.floor(vim.o.lines * MOST_ROWS)))
  end
  if win ~= -1 and win ~= api.nvim_get_current_win() then
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
  end
end

return M
