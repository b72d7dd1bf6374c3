-- Completion plug-ins as far as a source sees them, by what they document and do: whom they call, when, with what, and what
-- they make of the answer. `double(name)`: on(), items(), accept(label).
local api = vim.api

-- Each character of `typed` stands in `text`, in this order, and the first at its beginning or behind something else.
local function fits(typed, text)
  local from = 1
  for index = 1, vim.fn.strchars(typed) do
    local at = text:lower():find(vim.fn.strcharpart(typed:lower(), index - 1, 1), from, true)
    if not at then
      return false
    end
    from = at + 1
  end
  return true
end

local function before_cursor()
  return api.nvim_get_current_line():sub(1, api.nvim_win_get_cursor(0)[2])
end

local function on_each_key(act)
  api.nvim_create_autocmd({ "TextChangedI", "CursorMovedI" }, { callback = act })
end

-- --- nvim-cmp ---------------------------------------------------------------------------------------------------
-- It asks at trigger characters and where its keyword pattern matches anew; with `isIncomplete` at each key, but never
-- while an answer is on its way. Ranges are UTF-16 unless the source says otherwise. What is taken takes the place of
-- what stood there at the question: what was typed since goes, and `execute` comes last.
local cmp = { entries = {}, offset = -1, asked = 0 }

local function cmp_context()
  local row, column = unpack(api.nvim_win_get_cursor(0))
  return {
    bufnr = api.nvim_get_current_buf(), filetype = vim.bo.filetype,
    cursor = { row = row, col = column + 1, line = row - 1, character = column },
    cursor_line = api.nvim_get_current_line(), cursor_before_line = before_cursor(),
    cursor_after_line = api.nvim_get_current_line():sub(column + 1),
  }
end

local function cmp_bytes(line, character)
  local encoding = cmp.source.get_position_encoding_kind and cmp.source:get_position_encoding_kind() or "utf-16"
  return vim.str_byteindex(line, encoding, character, false)
end

local function cmp_complete(context)
  local pattern = cmp.source:get_keyword_pattern({})
  local at = vim.fn.match(context.cursor_before_line, [[\%(]] .. pattern .. [[\)\m$]])
  local offset = at == -1 and context.cursor.col or at + 1
  local character = context.cursor_before_line:sub(-1)
  local how
  if vim.tbl_contains(cmp.source:get_trigger_characters({}), character) then
    how = { triggerKind = 2, triggerCharacter = character }
  elseif context.cursor.col - offset < 1 then
    cmp.entries, cmp.offset = {}, -1
    return
  elseif cmp.incomplete then
    how = { triggerKind = 3 }
  elseif offset ~= cmp.offset then
    how = { triggerKind = 1 }
  else
    return
  end
  cmp.fetching, cmp.offset, cmp.asked = true, offset, cmp.asked + 1
  local number = cmp.asked
  local params = { name = "motet", option = {}, offset = offset, context = context, completion_context = how }
  cmp.source:complete(params, vim.schedule_wrap(function(response)
    if number ~= cmp.asked then
      return
    end
    cmp.fetching, cmp.incomplete = false, response and response.isIncomplete or false
    cmp.entries = vim.tbl_map(function(item)
      return { item = item, context = context }
    end, response and response.items or response or {})
    if before_cursor() ~= context.cursor_before_line then
      cmp_complete(cmp_context())
    end
  end))
end

function cmp.on(source)
  cmp.source = source
  on_each_key(function()
    if not cmp.fetching and source:is_available() then
      cmp_complete(cmp_context())
    end
  end)
end

function cmp.items()
  return vim.tbl_map(function(entry)
    return entry.item
  end, vim.tbl_filter(function(entry)
    local first = cmp_bytes(entry.context.cursor_line, entry.item.textEdit.range.start.character)
    return fits(before_cursor():sub(math.min(first + 1, cmp.offset)), entry.item.filterText or entry.item.label)
  end, cmp.entries))
end

function cmp.accept(label, done)
  for _, entry in ipairs(cmp.entries) do
    if entry.item.label == label then
      local context, range = entry.context, entry.item.textEdit.range
      local from = cmp_bytes(context.cursor_line, range.start.character)
      local row = api.nvim_win_get_cursor(0)[1] - 1
      local rest = math.max(cmp_bytes(context.cursor_line, range["end"].character) - context.cursor.col + 1, 0)
      local here = api.nvim_win_get_cursor(0)[2]
      api.nvim_buf_set_text(0, row, from, row, here + rest, { entry.item.textEdit.newText })
      api.nvim_win_set_cursor(0, { row + 1, from + #entry.item.textEdit.newText })
      cmp.source:execute(vim.deepcopy(entry.item), vim.schedule_wrap(done))
      return true
    end
  end
end

-- --- blink.cmp --------------------------------------------------------------------------------------------------
-- It asks at each key while the answers are incomplete, and takes back what it asked before. The first answer to a question
-- is shown, later ones are added. Items are its own from then on. Columns are bytes, and the end of what is replaced is
-- where the cursor is by now. A source with `execute` has to put the text in by the function that it is given.
local blink = { entries = {}, id = 0 }

local function blink_context()
  blink.id = blink.id + 1
  local cursor, line = api.nvim_win_get_cursor(0), api.nvim_get_current_line()
  local keyword = before_cursor():match("[%w_\128-\255]*$")
  return {
    id = blink.id, mode = "default", bufnr = api.nvim_get_current_buf(), cursor = cursor, line = line, providers = { "motet" },
    bounds = { line_number = cursor[1], start_col = cursor[2] - #keyword + 1, length = #keyword },
    trigger = { initial_kind = "keyword", kind = "keyword" },
  }
end

local function blink_complete()
  if blink.cancel then
    blink.cancel()
  end
  local context, is_answered, number = blink_context(), false, blink.id
  local character = context.line:sub(context.cursor[2], context.cursor[2])
  local is_trigger = vim.tbl_contains(blink.source:get_trigger_characters(), character)
  if context.bounds.length == 0 and not is_trigger or not blink.source:enabled(context) then
    blink.entries, blink.cancel = {}, nil
    return
  end
  context.trigger.kind = is_trigger and "trigger_character" or "keyword"
  blink.cancel = blink.source:get_completions(context, function(response)
    assert(number == blink.id, "an answer after it was taken back")
    response = response or { items = {} }
    for _, item in ipairs(response.items) do
      item.cursor_column, item.source_id, item.score_offset = context.cursor[2], "motet", 0
    end
    blink.entries = is_answered and vim.list_extend(blink.entries, response.items) or response.items
    is_answered, blink.context = true, context
  end)
end

function blink.on(source)
  blink.source = source
  on_each_key(function()
    if blink.last ~= before_cursor() then
      blink.last = before_cursor()
      blink_complete()
    end
  end)
end

-- The word before the cursor, with the signs before it where the item has the same ones before its last word.
local function blink_keyword(text)
  local line = before_cursor()
  local word = line:match("[%w_\128-\255]*$")
  local signs = text:sub(1, #text - #text:match("[%w_\128-\255]*$"))
  local prefix = line:sub(1, #line - #word)
  return prefix:sub(-#signs) == signs and signs .. word or word
end

function blink.items()
  return vim.tbl_filter(function(item)
    local text = item.filterText or item.label
    return fits(blink_keyword(text), text)
  end, blink.entries)
end

function blink.accept(label, done)
  for _, entry in ipairs(blink.entries) do
    if entry.label == label then
      local item, called, put = vim.deepcopy(entry), 0, 0
      item.textEdit.range["end"].character = api.nvim_win_get_cursor(0)[2]
      local function default()
        put = put + 1
        vim.lsp.util.apply_text_edits({ item.textEdit }, api.nvim_get_current_buf(), "utf-8")
        local start = item.textEdit.range.start
        api.nvim_win_set_cursor(0, { start.line + 1, start.character + #item.textEdit.newText })
      end
      blink.source:execute(blink.context, item, function()
        called = called + 1
        assert(called == 1 and put == 1, "a source has the text put in once, and calls back once")
        done()
      end, default)
      return true
    end
  end
end

return { ["nvim-cmp"] = cmp, ["blink.cmp"] = blink }
