-- What the editor knows and a chat can share. Asked by the program, answered at once; nothing here changes anything.
local api = vim.api
local files = require("motet.files")

local M = {}

local MOST_LINES = 300 -- of a terminal

local last_win, last_terminal ---@type integer?, integer?

-- Whether a buffer is one that the human works in: a file, or a text that is none yet.
local function is_work(buf)
  return api.nvim_buf_is_valid(buf) and vim.bo[buf].buftype == "" and vim.bo[buf].filetype ~= "motet"
end

local function note()
  local buf = api.nvim_get_current_buf()
  if is_work(buf) and api.nvim_win_get_config(0).relative == "" then
    last_win = api.nvim_get_current_win()
  elseif vim.bo[buf].buftype == "terminal" then
    last_terminal = buf
  end
end

note()
api.nvim_create_autocmd({ "BufEnter", "WinEnter", "TermOpen" }, {
  group = api.nvim_create_augroup("motet.context", {}),
  callback = note,
})

---The window that the human worked in last, outside of chats.
---@return integer?
function M.window()
  if last_win and api.nvim_win_is_valid(last_win) and is_work(api.nvim_win_get_buf(last_win)) then
    return last_win
  end
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if is_work(api.nvim_win_get_buf(win)) then
      return win
    end
  end
end

-- Columns are bytes in the editor and characters in the program.
local function characters(buf, row, column)
  local line = api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  return vim.str_utfindex(line, "utf-32", math.min(column, #line), false)
end

local function text_of(buf)
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  return table.concat(lines, "\n") .. (vim.bo[buf].endofline and "\n" or "")
end

local function shown_name(buf)
  return vim.fn.fnamemodify(api.nvim_buf_get_name(buf), ":~:.")
end

function M.buffers()
  local found = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if vim.bo[buf].buflisted and is_work(buf) then
      found[#found + 1] = {
        number = buf, name = api.nvim_buf_get_name(buf), shown = shown_name(buf), filetype = vim.bo[buf].filetype,
        changed = vim.bo[buf].modified, text = api.nvim_buf_is_loaded(buf) and text_of(buf) or vim.NIL,
      }
    end
  end
  return found
end

---The file that the human works in, without links in its path; empty where it is none.
function M.current_file()
  local win = M.window()
  local buf = win and api.nvim_win_get_buf(win)
  return buf and api.nvim_buf_get_name(buf) ~= "" and files.real(buf) or ""
end

function M.cursor()
  local win = M.window()
  if not win then
    return vim.NIL
  end
  local buf, place = api.nvim_win_get_buf(win), api.nvim_win_get_cursor(win)
  return { buf, place[1], characters(buf, place[1] - 1, place[2]) + 1 }
end

function M.selection()
  local win = M.window()
  if not win then
    return vim.NIL
  end
  local buf, row = api.nvim_win_get_buf(win), api.nvim_win_get_cursor(win)[1]
  local first, last = api.nvim_buf_get_mark(buf, "<")[1], api.nvim_buf_get_mark(buf, ">")[1]
  last = math.min(last, api.nvim_buf_line_count(buf))
  if first == 0 or row < first or row > last then
    return vim.NIL
  end
  return { buf, first, last }
end

function M.viewport()
  local found, mine = {}, M.window()
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    local buf = api.nvim_win_get_buf(win)
    if is_work(buf) and api.nvim_win_get_config(win).relative == "" then
      local place = { buf, vim.fn.line("w0", win), vim.fn.line("w$", win) }
      table.insert(found, win == mine and 1 or #found + 1, place)
    end
  end
  return found
end

function M.diagnostics()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get()) do
    if api.nvim_buf_is_valid(one.bufnr) then
      local end_row, end_column = one.end_lnum or one.lnum, one.end_col or one.col
      found[#found + 1] = {
        name = api.nvim_buf_get_name(one.bufnr), severity = one.severity, message = one.message,
        source = one.source or "", code = tostring(one.code or ""),
        line = one.lnum + 1, column = characters(one.bufnr, one.lnum, one.col) + 1,
        end_line = end_row + 1, end_column = characters(one.bufnr, end_row, end_column) + 1,
      }
    end
  end
  return found
end

---Whether a language server, or whoever else, tells what is wrong with each of these files.
function M.has_sources(paths)
  for _, path in ipairs(paths) do
    local buf = files.buffer(path)
    local is_known = buf
      and (#vim.diagnostic.get(buf) > 0 or #vim.lsp.get_clients({ bufnr = buf, method = "textDocument/didChange" }) > 0)
    if not is_known then
      return false
    end
  end
  return #paths > 0
end

---Load these files into buffers, so that their language servers see them.
function M.load(paths)
  for _, path in ipairs(paths) do
    if vim.uv.fs_stat(path) and not files.buffer(path) then
      local buf = vim.fn.bufadd(path)
      vim.bo[buf].buflisted = true
      vim.fn.bufload(buf)
    end
  end
end

function M.quickfix()
  local found = {}
  for _, one in ipairs(vim.fn.getqflist()) do
    local name = one.bufnr > 0 and api.nvim_buf_get_name(one.bufnr) or ""
    found[#found + 1] = { name = name, line = one.lnum, column = one.col, text = one.text, kind = one.type }
  end
  return found
end

function M.messages()
  return vim.trim(vim.fn.execute("messages"))
end

function M.terminal()
  if not (last_terminal and api.nvim_buf_is_loaded(last_terminal)) then
    return vim.NIL
  end
  local lines = api.nvim_buf_get_lines(last_terminal, 0, -1, false)
  while #lines > 0 and vim.trim(lines[#lines]) == "" do
    lines[#lines] = nil
  end
  return table.concat(vim.list_slice(lines, math.max(1, #lines - MOST_LINES + 1)), "\n")
end

return M
