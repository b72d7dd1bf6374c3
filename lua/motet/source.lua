-- What can be completed in a draft, as a source for completion plugins: blink.cmp and nvim-cmp each call their own of
-- these methods. Both replace the menu that comes by itself without them.
local api = vim.api
local complete = require("motet.complete")
local M = {}

-- Kinds of the language server protocol: variables, files, and what is neither.
local KINDS = { ["#"] = 6, ["@"] = 17, ["/"] = 14 }

-- Rows of the program as items of the protocol; columns are bytes.
local function items(replaced, rows)
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local typed = api.nvim_get_current_line():sub(column - replaced + 1, column)
  local range = {
    start = { line = row - 1, character = column - replaced }, ["end"] = { line = row - 1, character = column },
  }
  local found = {}
  for index, one in ipairs(rows) do
    found[index] = {
      label = one[2],
      kind = KINDS[typed:sub(1, 1)] or 1,
      labelDetails = { description = one[3] },
      filterText = typed .. " " .. one[2], -- what fits was chosen by the program, and more keys narrow it further
      sortText = ("%05d"):format(index),
      textEdit = { newText = one[1], range = range },
    }
  end
  return found
end

local function fetch(callback)
  local is_asked = complete.here(function(replaced, rows)
    callback(items(replaced, rows))
  end)
  if not is_asked then
    callback({})
  end
end

---A source. From now on no menu of motet's own comes by itself.
function M.new()
  complete.has_source = true
  return setmetatable({}, { __index = M })
end

function M:get_trigger_characters()
  return { "#", "@", "/" }
end

---For blink.cmp.
function M:enabled()
  return vim.bo.filetype == "motet"
end

---For blink.cmp. Every key asks anew, as names and paths are looked for by the program.
function M:get_completions(_, callback)
  local is_wanted = true
  fetch(function(found)
    if is_wanted then
      callback({ items = found, is_incomplete_forward = true, is_incomplete_backward = true })
    end
  end)
  return function()
    is_wanted = false
  end
end

-- For nvim-cmp.
M.is_available = M.enabled

function M:get_keyword_pattern()
  return [[[#@/]\S*]]
end

function M:get_position_encoding_kind()
  return "utf-8"
end

---For nvim-cmp.
function M:complete(_, callback)
  fetch(function(found)
    callback({ items = found, isIncomplete = true })
  end)
end

return M
