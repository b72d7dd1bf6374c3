-- Events that others hear: `User Motet…`, and those of the editor that go with what is done here. One who fails is told
-- of, and stops nothing.
local api = vim.api
local M = {}

---Do `act`, which others hear of by their autocommands. Raises what went wrong only where what was meant, `holds`, is not
---the case then.
---@param act fun()
---@param holds? fun(): boolean
function M.past(act, holds)
  local done, why = pcall(act)
  if not done and holds and not holds() then
    error(why, 0)
  elseif not done then
    local said = tostring(why):match("^[^\n]*")
    vim.schedule(function()
      require("motet.notice").tell(("an autocommand failed: %s"):format(said), vim.log.levels.ERROR)
    end)
  end
end

local function run(event, options)
  M.past(function()
    api.nvim_exec_autocmds(event, options)
  end)
end

---@param name string   without `Motet`
---@param data table
function M.emit(name, data)
  run("User", { pattern = "Motet" .. name, data = data, modeline = false })
end

---An event of the editor, in a buffer.
function M.in_buffer(event, buf)
  run(event, { buffer = buf, modeline = false })
end

return M
