-- What can be completed in a draft, as a source for completion plugins: blink.cmp and nvim-cmp each call their own of
-- these methods. Both replace the menu that comes by itself without them.
local api = vim.api
local complete = require("motet.complete")
local M = {}

-- Kinds of the language server protocol: variables, files, and what is neither.
local KINDS = { ["#"] = 6, ["@"] = 17, ["/"] = 14 }

local ns = api.nvim_create_namespace("motet.source")

-- Rows of the program as items of the protocol. They stand for what was typed when they were asked for: `line` up to
-- `column`, in bytes; that line is in `row` by now, from 0.
local function items(replaced, rows, row, column, line)
  local from = column - replaced
  local typed = line:sub(from + 1, column)
  local found = {}
  for index, one in ipairs(rows) do
    found[index] = {
      label = one[2],
      kind = KINDS[typed:sub(1, 1)] or 1,
      labelDetails = { description = one[3] },
      filterText = typed .. " " .. one[2], -- what fits was chosen by the program, and more keys narrow it further
      sortText = ("%05d"):format(index),
      textEdit = {
        newText = one[1],
        range = { start = { line = row, character = from }, ["end"] = { line = row, character = column } },
      },
      data = one[4] and complete.COMMAND or nil,
    }
  end
  return found
end

local function fetch(callback)
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local buf, line = api.nvim_get_current_buf(), api.nvim_get_current_line()
  local mark = api.nvim_buf_set_extmark(buf, ns, row - 1, 0, { id = 1 }) -- what is drawn above the draft moves it
  local is_asked = complete.here(function(replaced, rows)
    local at = api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_extmark_by_id(buf, ns, mark, {})[1]
    callback(items(replaced, rows, at or row - 1, column, line))
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

---For blink.cmp. Every key asks anew, as names and paths are looked for by the program. What comes later, when more is
---known, is added to what came first.
function M:get_completions(_, callback)
  local is_wanted, given = true, nil ---@type boolean, table<string, boolean>?
  fetch(function(found)
    local new = vim.tbl_filter(function(item)
      return not (given and given[item.textEdit.newText])
    end, found)
    if is_wanted and (#new > 0 or not given) then
      given = given or {}
      for _, item in ipairs(new) do
        given[item.textEdit.newText] = true
      end
      callback({ items = new, is_incomplete_forward = true, is_incomplete_backward = true })
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

---For both: a command is done when it is taken. nvim-cmp has put the text in and tells the item; blink.cmp tells its
---context before that, and behind the callback what puts the text in, where it has not done so itself.
function M:execute(...)
  local given = { ... }
  local first = type(given[2]) == "function" and 1 or 2
  local item, callback, put = given[first], given[first + 1], given[first + 2]
  if put then
    put()
  end
  if item.data == complete.COMMAND then
    complete.run(api.nvim_get_current_buf())
  end
  callback()
end

return M
