-- `:Motet` and its subcommands.
local M = {}

local function chat()
  return require("motet.chat")
end

local function current()
  local buf = chat().current()
  if not buf then
    vim.notify("motet: no chat is open; `:Motet chat` opens one", vim.log.levels.INFO)
  end
  return buf
end

local function in_chat(act)
  return function(words, args)
    local buf = current()
    if buf then
      act(buf, words, args)
    end
  end
end

-- A subcommand that is the slash command of that name, in the current chat.
local function slash(name)
  return in_chat(function(buf, _, args)
    chat().command(buf, vim.trim(("/%s %s"):format(name, args.text)))
  end)
end

-- Put `text` where the cursor is in the draft, or at its end.
local function into_draft(buf)
  return function(row)
    chat().insert(buf, row.text .. " ")
  end
end

-- A command of the program that talks to the human. What it sets holds from the next use on.
local function in_terminal(name)
  require("motet.shown").terminal({ name }, function(code)
    if code == 0 and name ~= "log" then
      require("motet.process").renew()
    end
  end)
end

local function pick(kind, title, choose, typed)
  require("motet.picker").pick({ kind = kind, title = title, choose = choose, typed = typed })
end

---Let the human pick what a command was typed without: that takes the place of the draft `typed`, of which `rest` stays.
function M.pick_for(kind, typed, rest)
  local buf = current()
  if buf then
    pick(kind, kind, function(row)
      chat().replace(buf, typed, rest)
      into_draft(buf)(row)
    end)
  end
end

-- Lines that were given with the command go along with what is said next.
local function share(buf, work, args)
  if args.range > 0 then
    chat().add(buf, work, args.line1, args.line2)
  end
end

---@class motet.Subcommand
---@field about string
---@field range? boolean    takes one
---@field bang? boolean     takes one
---@field run fun(words: string[], args: table)
---@field complete? fun(lead: string, words: string[]): string[]
---@field values? string   which names complete its argument, of `M.known`
local subcommands = {
  chat = {
    about = "open the last chat, or a new one; TEXT is sent",
    range = true,
    bang = true,
    run = function(_, args)
      local work = vim.api.nvim_get_current_buf()
      local buf = chat().open({ new = args.bang })
      share(buf, work, args)
      if args.text ~= "" then
        chat().say(buf, args.text)
      end
    end,
  },
  new = {
    about = "open a new chat",
    range = true,
    run = function(_, args)
      local work = vim.api.nvim_get_current_buf()
      share(chat().open({ new = true }), work, args)
    end,
  },
  open = {
    about = "open a kept chat: its id, or `last`",
    run = function(words)
      chat().open({ chat = words[1] or "last" })
    end,
  },
  close = {
    about = "close the chat, and end its turn; what is typed stays kept",
    run = in_chat(function(buf)
      vim.api.nvim_buf_delete(buf, { force = true })
    end),
  },
  toggle = {
    about = "show or hide the chat",
    run = function()
      chat().toggle()
    end,
  },
  add = {
    about = "share the selected lines, or a file, with the next message",
    range = true,
    run = function(words, args)
      local file = #words > 0 and table.concat(words, " ") or nil
      local has_lines = args.range > 0
      require("motet").add({ file = file, first = has_lines and args.line1 or nil, last = has_lines and args.line2 or nil })
    end,
    values = "files",
  },
  file = {
    about = "pick a file, and put a link to it into the draft",
    run = in_chat(function(buf)
      pick("file", "file", into_draft(buf))
    end),
  },
  buffer = {
    about = "pick a buffer, and put a link to it into the draft",
    run = in_chat(function(buf)
      pick("buffer", "buffer", into_draft(buf))
    end),
  },
  history = {
    about = "pick a kept chat, by its title or by words in it",
    run = function()
      pick("history", "chats", function(row)
        chat().open({ chat = row.value })
      end)
    end,
  },
  search = {
    about = "pick a place of the project that a question is about",
    run = function(_, args)
      pick("place", "places", function(row)
        local file, line = row.value:match("^(.*):(%d+)$")
        require("motet.here").open(file, tonumber(line))
      end, args.text)
    end,
  },
  fix = {
    about = "fix what is complained about: in this file, FILE, or `project`",
    run = function(words)
      require("motet.process").tell("fix", table.concat(words, " "), vim.api.nvim_buf_get_name(0))
    end,
    values = "files",
  },
  edit = {
    about = "change the lines, or the whole buffer, as you say",
    range = true,
    run = function(_, args)
      local first, last = 1, vim.api.nvim_buf_line_count(0)
      if args.range > 0 then
        first, last = args.line1, args.line2
      end
      require("motet.edit").run(first, last, args.text)
    end,
  },
  stop = {
    about = "end the turn, or the fix; with `!` the turns of all chats",
    bang = true,
    run = function(_, args)
      if require("motet.process").is_ready() then
        require("motet.process").tell("stop_fix")
      end
      for _, buf in ipairs(args.bang and vim.tbl_keys(require("motet.chats").by_buf) or { chat().current() }) do
        chat().stop(buf)
      end
    end,
  },
  review = {
    about = "go to the next change that waits for review; `list`, `accept`, `reject`: all of them",
    run = function(words)
      local acts = { list = "quickfix", accept = "accept_all", reject = "reject_all" }
      require("motet.review")[acts[words[1]] or "review"]()
    end,
    values = "reviews",
  },
  changes = { about = "what was changed, in the quickfix list", run = function() require("motet.process").tell("changes") end },
  undo = { about = "take back the newest edits", run = function() require("motet.process").tell("undo") end },
  retry = { about = "ask again, or go on", run = in_chat(function(buf) chat().retry(buf) end) },
  inspect = {
    about = "the next request, exactly as it would be sent; `:w` there changes it",
    run = in_chat(function(buf)
      chat().inspect(buf)
    end),
  },
  system = {
    about = "change the system prompt: the first message of the next request",
    run = in_chat(function(buf)
      chat().inspect(buf)
    end),
  },
  board = {
    about = "open a board: its name, and `right`, `left`, `current` or `tab`; or do one of `edit`, `retract`, `notices`, …",
    run = function(words)
      require("motet.board_commands").command(words)
    end,
    complete = function(lead)
      return require("motet.board_commands").complete_command(lead)
    end,
  },
  agents = { about = "who is on the boards; mention one", run = function() require("motet.board_commands").agents() end },
  mention = {
    about = "mention an agent in the draft of the board; with a text, post that",
    run = function(_, args)
      require("motet.board_commands").mention(args.text:match("^(%S*)%s*(.*)$"))
    end,
    values = "agents",
  },
  agent = {
    about = "`start` an agent in the background; `stop`, `pause` or `resume` one",
    run = function(words)
      require("motet.board_commands").agent(words)
    end,
    complete = function(lead, words)
      return #words > (lead == "" and 1 or 2) and M.known.agents or { "pause", "resume", "start", "stop" }
    end,
  },
  config = { about = "set model and key", run = function() in_terminal("config") end },
  trust = { about = "what of this project may be run and read", run = function() in_terminal("trust") end },
  log = { about = "what went wrong, newest last", run = function() in_terminal("log") end },
  actions = { about = "all that can be done, to pick from", run = function() M.actions() end },
  health = { about = "check the installation", run = function() vim.cmd.checkhealth("motet") end },
}

for name, about in pairs({
  context = "what is shared, with sizes, and how full the window is",
  model = "show or change the model",
  prompt = "use a prompt of the library",
  compact = "replace the older part of the chat by a summary",
  fork = "go on from here in a chat of its own",
  rename = "give the chat another title",
  apply = "apply the edits in the last answer, hunk by hunk",
  clear = "begin a new chat here",
  tools = "the tools that were handed over",
  pin = "send a shared file again whenever it has changed",
  watch = "send what has changed in a shared file",
  drop = "take something out of what is shared",
}) do
  subcommands[name] = { about = about, run = slash(name), values = name .. "s" }
end

---Names that complete the arguments of subcommands, as the program tells them; by what they are: "models", "prompts".
M.known = { reviews = { "accept", "list", "reject" } } ---@type table<string, string[]>

---Take up what the program knows.
function M.names(kind, names)
  M.known[kind] = names
end

---Run a subcommand. Text in the command line is taken as it is; it is `args.text` for the subcommand.
function M.run(args)
  local words = vim.deepcopy(args.fargs)
  local name = table.remove(words, 1) or "chat"
  local sub = subcommands[name]
  if not sub then
    vim.notify(("motet: there is no `:Motet %s`; `:Motet actions` lists all"):format(name), vim.log.levels.ERROR)
    return
  end
  local extra = args.bang and not sub.bang and "`!`" or args.range > 0 and not sub.range and "range"
  if extra then
    vim.notify(("motet: `:Motet %s` takes no %s"):format(name, extra), vim.log.levels.ERROR)
    return
  end
  args.text = vim.trim(args.args:match("^%s*%S+(.*)$") or "")
  sub.run(words, args)
end

local function starting(names, lead)
  names = vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, names)
  table.sort(names)
  return names
end

function M.complete(lead, line)
  local words = vim.split(vim.trim(line:gsub("^.-Motet!?%s*", "")), "%s+")
  local sub = subcommands[words[1]]
  if sub and (#words > 1 or lead == "") then
    if sub.values == "files" then
      return vim.fn.getcompletion(lead, "file")
    end
    return starting(sub.complete and sub.complete(lead, words) or M.known[sub.values] or {}, lead)
  end
  return starting(vim.tbl_keys(subcommands), lead)
end

---Everything that can be done, to pick from: subcommands, and the prompts of the library.
function M.actions()
  require("motet.actions").pick(subcommands, M.known.prompts or {})
end

return M
