-- An edit while it is written: a word at the end of its chat, and the newest lines at their place in an open file.
local api = vim.api
local hunks = require("motet.hunks")
local M = {}

local ns = api.nvim_create_namespace("motet.writing")
-- By the buffers of chats. `buf`: where the word stands.
local shown = {} ---@type table<integer, { buf: integer, file?: integer, mark?: integer, note?: integer, place?: string }>

---A frame. `chat`: its buffer; below 0: it has none, and the word stands where the human is at first. `place`: real path, change
---number and row, or false.
---@param lines string[]   the newest of `total`
function M.draw(chat, doing, place, lines, total)
  local one = shown[chat] or { buf = chat < 0 and api.nvim_get_current_buf() or chat }
  shown[chat] = one
  if api.nvim_buf_is_loaded(one.buf) then
    one.note = api.nvim_buf_set_extmark(one.buf, ns, api.nvim_buf_line_count(one.buf) - 1, 0, {
      id = one.note,
      virt_text = { { doing, "MotetHint" } },
      virt_text_pos = "eol",
    })
  end
  local key = place and place[1] .. place[3] or nil
  if key ~= one.place then
    M.clear_file(one)
    one.place = key
    local buf = place and require("motet.files").buffer(place[1])
    if buf and api.nvim_buf_get_changedtick(buf) == place[2] then
      one.file, one.mark = buf, nil
      require("motet.review_keys").expect(buf) -- who decides before it is all there is told so
    end
  end
  if not one.file or not api.nvim_buf_is_loaded(one.file) then
    return
  end
  local row, above = place[3] - 1, place[3] == 0
  if one.mark then -- it moves with the text
    row = api.nvim_buf_get_extmark_by_id(one.file, ns, one.mark, {})[1] or row
  end
  local virtual = hunks.lines(lines, one.file)
  if total > #lines then
    table.insert(virtual, 1, { { ("… %d lines"):format(total - #lines), "MotetHint" } })
  end
  virtual[#virtual + 1] = { { doing, "MotetHint" } }
  one.mark = api.nvim_buf_set_extmark(one.file, ns, math.max(row, 0), 0, {
    id = one.mark,
    virt_lines = virtual,
    virt_lines_above = above,
  })
end

---Take away what is shown in a file.
function M.clear_file(one)
  if one.file and api.nvim_buf_is_loaded(one.file) and one.mark then
    api.nvim_buf_del_extmark(one.file, ns, one.mark)
  end
  one.file, one.mark = nil, nil
end

---It is written.
function M.clear(chat)
  local one = shown[chat]
  if one then
    M.clear_file(one)
    if one.note and api.nvim_buf_is_loaded(one.buf) then
      api.nvim_buf_del_extmark(one.buf, ns, one.note)
    end
    shown[chat] = nil
  end
end

---The program has gone.
function M.lost()
  for chat in pairs(shown) do
    M.clear(chat)
  end
end

return M
