-- Files that are open: what stands in their buffers, and changes of that by the program.
local api = vim.api
local M = {}

-- Loaded buffers of files.
local function files()
  return vim.tbl_filter(function(buf)
    return api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" and api.nvim_buf_get_name(buf) ~= ""
  end, api.nvim_list_bufs())
end

---The path of a buffer without links; of a file that is not there yet, that of its directory and its name.
function M.real(buf)
  local name = api.nvim_buf_get_name(buf)
  local real = vim.uv.fs_realpath(name)
  if real then
    return real
  end
  local directory = vim.uv.fs_realpath(vim.fs.dirname(name))
  return directory and vim.fs.joinpath(directory, vim.fs.basename(name)) or name
end

---The loaded buffer of a file, by its real path.
---@return integer?
function M.buffer(path)
  for _, buf in ipairs(files()) do
    if api.nvim_buf_get_name(buf) == path or M.real(buf) == path then
      return buf
    end
  end
end

---The files whose buffers hold what is not written.
function M.unsaved()
  local found = {}
  for _, buf in ipairs(files()) do
    if vim.bo[buf].modified then
      found[#found + 1] = M.real(buf)
    end
  end
  return found
end

---Each file that is loaded, and whether its buffer holds what is not written.
function M.open()
  return vim.tbl_map(function(buf)
    return { M.real(buf), vim.bo[buf].modified }
  end, files())
end

local function is_empty(buf)
  return api.nvim_buf_line_count(buf) == 1
    and api.nvim_buf_call(buf, function()
      return vim.fn.line2byte(2) < 2
    end)
end

---The buffer of a file as it is now, or false.
function M.snapshot(path)
  local buf = M.buffer(path)
  if not buf then
    return false
  end
  local bo = vim.bo[buf]
  local lines = is_empty(buf) and {} or api.nvim_buf_get_lines(buf, 0, -1, false)
  -- What is as in the file has its end; what is written next is completed, as the options say.
  local ends = bo.endofline or (bo.modified and bo.fixendofline and not bo.binary)
  return { buf, api.nvim_buf_get_changedtick(buf), bo.modified, lines, bo.fileformat, bo.fileencoding, bo.bomb, ends }
end

-- What is typed next, or was typed before, is another step of undo; in insert mode too.
local function break_undo(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

-- The file was written, with just this text: `:write` then writes nothing, but the editor knows the file's time, and that
-- undo makes the buffer a modified one (:help BufWriteCmd).
local function mark_written(buf, is_all)
  api.nvim_buf_call(buf, function()
    local id = api.nvim_create_autocmd("BufWriteCmd", {
      buffer = buf,
      callback = function()
        vim.bo[buf].modified = not is_all
      end,
    })
    pcall(vim.cmd, "silent! keepalt keepjumps lockmarks write!")
    pcall(api.nvim_del_autocmd, id)
  end)
end

---Change lines of a buffer, if it is still at `tick`: one step of undo of its own. `written`: whether its file has this
---text now; `known`: whether the file's change is in the text at least. False when the buffer has changed.
function M.change(buf, tick, spans, options, written, known)
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= tick then
    return false
  end
  local bo = vim.bo[buf]
  local modifiable = bo.modifiable
  break_undo(buf)
  bo.modifiable, bo.modified = true, true
  local last = is_empty(buf) and -1 -- it has a line all the same
  for _, span in ipairs(spans) do
    api.nvim_buf_set_lines(buf, span[1], last or span[2], false, span[3])
  end
  for name, value in pairs(options) do
    if bo[name] ~= value then
      bo[name] = value
    end
  end
  break_undo(buf)
  bo.modifiable = modifiable
  if known then
    mark_written(buf, written)
  end
  if written then
    require("motet.events").in_buffer("BufWritePost", buf)
  end
  return true
end

return M
