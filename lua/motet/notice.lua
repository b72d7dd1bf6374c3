-- Notices, by `vim.notify`. Neovim's own waits for a key behind a text that does not fit into its line, and behind a
-- second one: here the editor never waits for it. `:messages` has all of it.
local api = vim.api
local M = {}

local function is_neovims_own()
  return debug.getinfo(vim.notify, "S").source == "@vim/_editor.lua"
end

-- The beginning of `text`, as far as the line of messages has room.
local function cut(text, rest)
  local room = vim.v.echospace - vim.fn.strdisplaywidth(rest)
  local line = text:match("^[^\n]*")
  local kept = math.min(vim.fn.strchars(line), math.max(room, 0))
  while kept > 0 and vim.fn.strdisplaywidth(vim.fn.strcharpart(line, 0, kept)) > room do
    kept = kept - 1
  end
  return vim.fn.strcharpart(line, 0, kept) .. rest
end

---@param text string
---@param level integer   of `vim.log.levels`
function M.tell(text, level)
  text = "motet: " .. text
  if not is_neovims_own() then
    vim.notify(text, level)
    return
  end
  vim.cmd("redraw") -- what was said before has been seen: the next one needs no second line
  local how = vim.o.messagesopt
  vim.o.messagesopt = "wait:0," .. (how:match("history:%d+") or "history:500")
  pcall(vim.notify, text, level)
  vim.o.messagesopt = how
  if text:find("\n", 1, true) or vim.fn.strdisplaywidth(text) > vim.v.echospace then
    vim.cmd("redraw")
    local marked = level == vim.log.levels.ERROR and "ErrorMsg" or level == vim.log.levels.WARN and "WarningMsg" or nil
    api.nvim_echo({ { cut(text, " … :messages"), marked } }, false, {})
  end
end

return M
