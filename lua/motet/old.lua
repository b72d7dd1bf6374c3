-- What an editor that is too old for motet is told: one line, whatever is used of it. Neovim 0.5 can load this.
local M = {}

---What is needed, and what is there.
function M.line()
  local version = vim.api.nvim_exec and vim.api.nvim_exec("version", true):match("NVIM v?(%S+)")
  return ("motet: Neovim 0.11 or newer is needed, this is %s"):format(version or "older")
end

---Say it.
function M.tell()
  vim.api.nvim_echo({ { M.line(), "ErrorMsg" } }, true, {})
end

---What `require("motet")` is there: each of its functions says it, but for `status`, which a status line asks again and again.
M.api = setmetatable({
  options = {},
  status = function()
    return {}
  end,
}, {
  __index = function()
    return M.tell
  end,
})

return M
