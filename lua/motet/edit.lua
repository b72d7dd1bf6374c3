-- `:Motet edit`, and the operator of the same: lines are changed as the human says, reviewed where they are.
local api = vim.api
local process = require("motet.process")

local M = {}

local repeated ---@type string?  what the operator was told last; `.` says it again

local function begin(buf, first, last, instruction)
  if instruction and vim.trim(instruction) ~= "" then
    process.tell("edit", buf, first, last, instruction)
  end
end

---Change these lines of this buffer; what to do is asked for where it is not given.
function M.run(first, last, instruction)
  local buf = api.nvim_get_current_buf()
  require("motet.context")
  if instruction ~= "" then
    begin(buf, first, last, instruction)
  else
    vim.ui.input({ prompt = "Edit: " }, function(given)
      begin(buf, first, last, given)
    end)
  end
end

---Begin the operator: `<Plug>(motet-edit)` and a motion.
function M.operate()
  repeated = nil
  vim.o.operatorfunc = "v:lua.require'motet.edit'.operator"
  return "g@"
end

function M.operator()
  local buf = api.nvim_get_current_buf()
  local first, last = api.nvim_buf_get_mark(buf, "[")[1], api.nvim_buf_get_mark(buf, "]")[1]
  if repeated then
    return begin(buf, first, last, repeated)
  end
  vim.ui.input({ prompt = "Edit: " }, function(given)
    repeated = given
    begin(buf, first, last, given)
  end)
end

return M
