-- `:Motet board`, `agents`, `mention`, `agent`.
local boards = require("motet.board")
local process = require("motet.process")

local M = {}

local POSITIONS = { right = true, left = true, current = true, tab = true }

local function tell(...)
  return process.tell("board", ...)
end

-- Do something with the board that is used, which is opened where there is none.
local function with(act)
  local board = boards.current() or boards.by_buf[boards.open("general")]
  act(board)
end

local function pick(kind, title, choose)
  require("motet.picker").pick({ kind = kind, title = title, choose = choose })
end

---Let the human pick an agent, and mention it in the draft.
function M.agents()
  pick("agent", "agents", function(row)
    with(function(board)
      boards.insert(board, row.text)
    end)
  end)
end

function M.notices()
  pick("told", "notices of boards", function(row)
    boards.open(row.text ~= "" and row.text or nil)
  end)
end

M.acts = {
  edit = function()
    with(function(board) tell("edit", board.buf) end)
  end,
  retract = function()
    with(function(board) tell("retract", board.buf) end)
  end,
  continue = function() tell("decide", true, "") end,
  stop = function() tell("decide", false, "") end,
  notices = M.notices,
}

---`:Motet board [name] [position]`, or one of `M.acts`.
function M.command(words)
  if #words == 1 and M.acts[words[1]] then
    return M.acts[words[1]]()
  end
  local name, position
  for _, word in ipairs(words) do
    if POSITIONS[word] then
      position = word
    else
      name = word
    end
  end
  boards.open(name, position)
end

function M.complete_command(lead)
  local names = vim.list_extend(vim.tbl_keys(POSITIONS), vim.tbl_keys(M.acts))
  for _, board in pairs(boards.by_buf) do
    names[#names + 1] = board.name
  end
  return vim.tbl_filter(function(name) return vim.startswith(name, lead) end, names)
end

---`:Motet mention [agent] [text]`: into the draft; with a text, posted.
function M.mention(agent, text)
  if agent == "" then
    return M.agents()
  end
  with(function(board)
    tell("mention", board.buf, agent, text)
  end)
end

---`:Motet agent start|stop|pause|resume NAME`; a new one is on the board that is used.
function M.agent(words)
  if #words == 2 and ({ start = 1, stop = 1, pause = 1, resume = 1 })[words[1]] then
    local board = boards.current()
    tell("agent", words[1], words[2], board and board.name or "")
  else
    require("motet.notice").tell("`:Motet agent start|stop|pause|resume NAME`", vim.log.levels.ERROR)
  end
end

return M
