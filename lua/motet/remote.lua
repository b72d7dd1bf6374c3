-- What the Python half calls. Each returns at once; questions are answered by a notification.
local context = require("motet.context")
local files = require("motet.files")
local picker = require("motet.picker")
local process = require("motet.process")
local review = require("motet.review")
local told = require("motet.told")
local writing = require("motet.writing")

local M = {
  attached = told.attached,
  instead = told.instead,
  another = told.another,
  drawn_anew = told.drawn_anew,
  context = told.context,
  draw = told.draw,
  taken = told.taken,
  requested = told.requested,
  tools_called = told.tools_called,
  tool_finished = told.tool_finished,
  wrote = told.wrote,
  said = told.said,
  returned = told.returned,
  idle = told.idle,
  status = told.status,
  completed = require("motet.complete").completed,
  draft = told.draft,
  kept = told.kept,
  models = told.models,
  picked = picker.picked,
  previewed = picker.previewed,
  names = require("motet.command").names,
  ask = require("motet.questions").ask,
  withdraw = require("motet.questions").withdraw,
  buffers = context.buffers,
  cursor = context.cursor,
  current_file = context.current_file,
  selection = context.selection,
  viewport = context.viewport,
  diagnostics = context.diagnostics,
  quickfix = context.quickfix,
  has_sources = context.has_sources,
  load = context.load,
  messages = context.messages,
  terminal = context.terminal,
  open_files = files.open,
  unsaved = files.unsaved,
  snapshot = files.snapshot,
  change = files.change,
  review = review.show,
  marks = review.marks,
  amend = review.amend,
  amended = review.amended,
  beside = review.beside,
  changes = review.changes,
  writing = writing.draw,
  written = writing.clear,
}

-- Nothing of boards is loaded before one is opened.
function M.board(what, ...)
  require("motet.board_told")[what](...)
end

function M.board_draw(buf, ops)
  return require("motet.board_told").draw(buf, ops)
end

local LEVELS = { info = vim.log.levels.INFO, warn = vim.log.levels.WARN, error = vim.log.levels.ERROR }

M.pick = function(...)
  require("motet.command").pick_for(...)
end

function M.show(name, lines)
  require("motet.shown").show(name, lines)
end

---The next request of a chat, to be changed.
function M.request(buf, id, lines)
  require("motet.shown").edit("request/" .. id, lines, function(text)
    process.tell("request", buf, text)
  end)
end

function M.request_taken(id)
  require("motet.shown").taken("request/" .. id)
end

function M.append(name, lines, begins)
  require("motet.shown").append(name, lines, begins)
end

---Rows are file, line, column and text. The list is not opened.
function M.quickfix_list(title, rows)
  local items = vim.tbl_map(function(row)
    return { filename = row[1], lnum = row[2], col = row[3], text = row[4] }
  end, rows)
  vim.fn.setqflist({}, " ", { title = title, items = items })
end

function M.edited(count, said)
  require("motet.events").emit("Edited", { count = count, said = said })
end

function M.fixed(reason, changed, left)
  require("motet.events").emit("Fixed", { reason = reason, changed = changed, left = left })
end

function M.notice(_, level, text)
  require("motet.notice").tell(text, LEVELS[level])
end

-- The draft stays as it is.
function M.refused(buf, level, text)
  M.notice(buf, level, text)
end

function M.unopened(buf, text)
  told.unopened(buf)
  if text ~= "" then
    M.notice(buf, "error", text)
  end
end

function M.ready(version, root, notices)
  local own = require("motet.version")
  if version ~= own then
    M.notice(0, "warn", ("the program is %s, the plugin %s: update the older one (:checkhealth motet)"):format(version, own))
  end
  for _, text in ipairs(notices) do
    M.notice(0, "info", text)
  end
  process.ready(root)
end

function M.failed(text)
  M.notice(0, "error", text)
  process.failed()
end

return M
