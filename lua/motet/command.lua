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

local subcommands = {
  chat = function(words)
    local buf = chat().open({})
    if #words > 0 then
      chat().say(buf, table.concat(words, " "))
    end
  end,
  new = function()
    chat().open({ new = true })
  end,
  open = function(words)
    chat().open({ chat = words[1] or "last" })
  end,
  toggle = function()
    chat().toggle()
  end,
  stop = function()
    local buf = current()
    if buf then
      chat().stop(buf)
    end
  end,
  retry = function()
    local buf = current()
    if buf then
      chat().retry(buf)
    end
  end,
  model = function(words)
    local buf = current()
    if buf and words[1] then
      chat().model(buf, words[1])
    end
  end,
  health = function()
    vim.cmd.checkhealth("motet")
  end,
}

function M.run(args)
  local words = vim.deepcopy(args.fargs)
  local name = table.remove(words, 1) or "chat"
  local sub = subcommands[name]
  if not sub then
    vim.notify(("motet: there is no `:Motet %s`; :help motet"):format(name), vim.log.levels.ERROR)
    return
  end
  sub(words, args)
end

function M.complete(lead, line)
  if #vim.split(line, "%s+") > 2 then
    return {}
  end
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, vim.tbl_keys(subcommands))
  table.sort(names)
  return names
end

return M
