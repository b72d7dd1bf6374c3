-- `:w FILE` in a chat: its text as it stands, in a file.
local M = {}

---Write it; the editor has asked for a `!` where the file exists.
function M.write(buf, file)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  vim.list_extend(lines, { "", "" }) -- as in the transcript: nobody's text stands where editors look for commands
  local done, failed = pcall(vim.fn.writefile, lines, file)
  if not done or failed ~= 0 then
    vim.notify(("motet: %s cannot be written"):format(file), vim.log.levels.ERROR)
  end
end

return M
