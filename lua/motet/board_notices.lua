-- What the human is told of boards: one line, never in the way of what is typed in the command line.
local api = vim.api
local M = {}

local waiting = {} ---@type { text: string, level: integer }[]
local timer

local function is_free()
  local mode = api.nvim_get_mode()
  return not mode.blocking and not mode.mode:match("^[cr!]")
end

local function flush()
  while #waiting > 0 and is_free() do
    local one = table.remove(waiting, 1)
    require("motet.notice").tell(one.text, one.level)
  end
  if #waiting > 0 then
    timer = timer or vim.uv.new_timer()
    timer:start(200, 0, vim.schedule_wrap(flush))
  end
end

---Tell a line when nothing else needs its place.
function M.tell(text, level)
  waiting[#waiting + 1] = { text = text, level = level }
  flush()
end

-- The terminal's own: Neovim's leaves insert mode where a command is to cause it.
local function ring()
  if api.nvim_ui_send then
    api.nvim_ui_send("\7")
  else
    pcall(api.nvim_chan_send, 2, "\7")
  end
end

---The human was called, or something waits for a word.
function M.alert(alert)
  local boards, options = require("motet.board"), require("motet").options.board
  local is_call = alert.kind == "mention"
  M.tell(alert.line, is_call and vim.log.levels.INFO or vim.log.levels.WARN)
  if options.bell then
    ring()
  end
  if options.auto_open and is_call and alert.board ~= "" then
    boards.show(alert.board)
  end
  if is_call then
    boards.emit("BoardMentioned", alert)
  else
    boards.emit("BoardNotice", alert)
  end
end

return M
