-- `:w FILE` in a chat: its text as it stands, in a file.
local M = {}

---Write the lines that were asked for. An existing file is only written over with `!`.
function M.write(buf, file)
  if vim.uv.fs_stat(file) and vim.v.cmdbang == 0 then
    vim.notify(("motet: %s exists (add ! to write over it)"):format(file), vim.log.levels.ERROR)
    return
  end
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local done, failed = pcall(vim.fn.writefile, lines, file)
  if not done or failed ~= 0 then
    vim.notify(("motet: %s cannot be written"):format(file), vim.log.levels.ERROR)
  end
end

return M
