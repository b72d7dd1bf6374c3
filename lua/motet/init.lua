-- The Lua API of motet. Nothing needs `setup`; it only overrides.
if vim.fn.has("nvim-0.11") == 0 then
  return require("motet.old").api
end
local M = {}

local defaults = {
  ---@type "right"|"left"|"below"|"above"|"current"|"tab"|"float"
  layout = "right",
  -- Columns or rows of a chat window: a share of the editor up to 1, else a count.
  size = 0.45,
  -- How one row of many is picked: nil for motet's own list, or a function that gets `{ kind, title, choose }`.
  picker = nil, ---@type fun(spec: table)?
  -- Who highlights chats: motet, each line and code block once when it is finished, or Neovim's tree-sitter highlighter,
  -- for plugins that render Markdown; that keeps a tree of the whole chat, which takes longer the longer it is.
  ---@type "own"|"treesitter"
  highlight = "own",
  -- Maps of chat buffers, by what they do; false leaves one out.
  maps = {
    send = { n = "<CR>", i = "<C-s>" },
    stop = { n = "<C-c>" },
    say = { n = "gm" },
    complete = { i = "<C-_>" },
    next = { n = "]]" },
    previous = { n = "[[" },
    file = { n = "gf" },
    link = { n = "gx" },
    unfold = { n = "K" },
    help = { n = "g?" },
    retry = { n = "<LocalLeader>r" },
    model = { n = "<LocalLeader>m" },
    inspect = { n = "<LocalLeader>i" },
    apply = { n = "<LocalLeader>a" },
    yank = { n = "<LocalLeader>y" },
    fold = { n = "<LocalLeader>f" },
    pin = { n = "<LocalLeader>p" },
    watch = { n = "<LocalLeader>w" },
    system = { n = "<LocalLeader>s" },
    undo = { n = "<LocalLeader>u" },
    fork = { n = "<LocalLeader>k" },
    clear = { n = "<LocalLeader>x" },
    next_chat = { n = "<LocalLeader>n" },
    previous_chat = { n = "<LocalLeader>N" },
    -- Maps of files in which changes wait for review, while they wait.
    review = {
      accept = { n = "<LocalLeader>a" },
      reject = { n = "<LocalLeader>d" },
      accept_file = { n = "<LocalLeader>A" },
      reject_file = { n = "<LocalLeader>D" },
      amend = { n = "<LocalLeader>e" },
      split = { n = "<LocalLeader>s" },
      next = { n = "<LocalLeader>]" },
      previous = { n = "<LocalLeader>[" },
      quickfix = { n = "<LocalLeader>q" },
      beside = { n = "<LocalLeader>v" },
    },
    -- Maps of boards and their drafts.
    board = {
      send = { n = "<CR>", i = "<C-s>" },
      drop = { n = "<C-c>" },
      say = { n = "gm" },
      complete = { i = "<C-_>" },
      next = { n = "]]" },
      previous = { n = "[[" },
      edit = { n = "<LocalLeader>e" },
      retract = { n = "<LocalLeader>x" },
      agents = { n = "<LocalLeader>a" },
      notices = { n = "<LocalLeader>n" },
      help = { n = "g?" },
    },
  },
  board = {
    ---@type "right"|"left"|"current"|"tab"
    layout = "right",
    -- Show the board, without going there, when you are mentioned.
    auto_open = false,
    -- Highlight heads of posts and mentions.
    highlight = true,
    -- Ring the bell when you are mentioned.
    bell = false,
  },
}

-- A map that is one key is one of normal mode.
local function with_mode(keys)
  return type(keys) == "string" and { n = keys } or keys
end

-- `options` in the form of the defaults; one that there is not is told.
local function checked(options)
  options = vim.deepcopy(options)
  for name in pairs(options) do
    if defaults[name] == nil and name ~= "picker" then
      vim.notify(("motet: there is no option `%s` (:help motet-options)"):format(name), vim.log.levels.WARN)
    end
  end
  for name, keys in pairs(type(options.maps) == "table" and options.maps or {}) do
    local is_group = name == "review" or name == "board"
    options.maps[name] = is_group and type(keys) == "table" and vim.tbl_map(with_mode, keys) or with_mode(keys)
  end
  return options
end

---@class motet.Options
M.options = vim.tbl_deep_extend("force", defaults, checked(type(vim.g.motet) == "table" and vim.g.motet or {}))

---Override options. May be left out.
---@param options? table
function M.setup(options)
  M.options = vim.tbl_deep_extend("force", M.options, checked(options or {}))
end

---Open a chat: the last one that was open here, or a new one. Gives its buffer.
---@param options? { new?: boolean, chat?: string, layout?: string }
---@return integer
function M.open(options)
  return require("motet.chat").open(options or {})
end

---Say `text` in the current chat, or in a new one.
---@param text string
function M.send(text)
  local chat = require("motet.chat")
  chat.say(chat.current() or chat.open({}), text)
end

---Share something with the next message of the current chat, or of a new one: a file, lines `first` to `last` of a
---buffer, or the whole buffer; left out: the current one.
---@param what? { file?: string, buf?: integer, first?: integer, last?: integer }
function M.add(what)
  what = what or {}
  local chat = require("motet.chat")
  local work = what.buf or vim.api.nvim_get_current_buf()
  local buf = chat.current() or chat.open({})
  if what.file then
    chat.command(buf, "/file " .. what.file)
  else
    chat.add(buf, work, what.first or 1, what.last or vim.api.nvim_buf_line_count(work))
  end
end

---What the current chat does: `state`, `model`, `tokens`, `window`, `cost`, `title`; and with a board open, how many posts
---are `unread` on all that are. Empty without either.
---@return table
function M.status()
  local chat, boards = require("motet.chat"), package.loaded["motet.board"]
  local unread = boards and boards.unread()
  return vim.tbl_extend("force", chat.status(chat.current()), unread and { unread = unread } or {})
end

---Hear `User Motet…` events, which the manual lists: "Opened", "Sent", "Ended", … (:help motet-events).
---@param event string
---@param fn fun(data: table)
---@return integer # id of the autocommand
function M.on(event, fn)
  return vim.api.nvim_create_autocmd("User", {
    pattern = "Motet" .. event,
    callback = function(args)
      fn(args.data or {})
    end,
  })
end

return M
