-- All that can be done, to pick from: what is possible where the human is comes first, then by what it is about.
local api = vim.api
local M = {}

local function has_chat()
  return require("motet.chats").current() ~= nil
end

local function is_busy()
  return vim.iter(pairs(require("motet.chats").by_buf)):any(function(_, chat)
    return chat.busy
  end)
end

local function is_file()
  return vim.bo.buftype == "" and api.nvim_buf_get_name(0) ~= ""
end

-- What it is about, the subcommands in the order of their use, and when these are possible; nil: always.
local GROUPS = {
  { "turn", { "stop" }, is_busy },
  { "review", { "review" }, function() return require("motet.review").pending() > 0 end },
  { "chat", { "chat", "new", "history", "open", "toggle" } },
  { "code", { "edit", "fix", "add" }, is_file },
  { "share", { "file", "buffer", "context", "pin", "watch", "drop" }, has_chat },
  { "turn", { "retry", "model", "inspect", "system", "tools" }, has_chat },
  { "code", { "search" } },
  { "edits", { "changes", "undo" } },
  { "edits", { "apply" }, has_chat },
  { "chat", { "rename", "fork", "compact", "close", "clear" }, has_chat },
  { "boards", { "board", "agents", "mention", "agent" } },
  { "motet", { "config", "trust", "log", "health" } },
}

-- The place of each subcommand among all, what it is about, and when it is possible.
local function places()
  local found, count = {}, 0
  for _, group in ipairs(GROUPS) do
    for _, name in ipairs(group[2]) do
      count = count + 1
      found[name] = { place = count, group = group[1], possible = not group[3] or group[3]() }
    end
  end
  return found
end

---The rows: `shown`, `about`, `group`, `act`, and whether it is `possible` here.
---@param subcommands table<string, motet.Subcommand>
---@param prompts string[]   names of the library
function M.rows(subcommands, prompts)
  local known, rows = places(), {}
  local function add(shown, about, at)
    rows[#rows + 1] = {
      shown = shown, about = about, group = at.group, place = at.place, possible = at.possible, act = "Motet " .. shown,
    }
  end
  for name, sub in pairs(subcommands) do
    if name ~= "actions" and not (name == "prompt" and #prompts > 0) then
      add(name, sub.about, known[name] or { place = 1000, group = "more", possible = true })
    end
  end
  for index, name in ipairs(prompts) do
    add("prompt " .. name, "of the library", { place = 500 + index, group = "prompt", possible = has_chat() })
  end
  table.sort(rows, function(one, other)
    if one.possible ~= other.possible then
      return one.possible
    elseif one.place ~= other.place then
      return one.place < other.place
    end
    return one.shown < other.shown
  end)
  return rows
end

---Let the human pick one, and do it.
function M.pick(subcommands, prompts)
  vim.ui.select(M.rows(subcommands, prompts), {
    prompt = "motet",
    kind = "motet",
    format_item = function(row)
      return ("%-7s %-16s %s%s"):format(row.group, row.shown, row.about, row.possible and "" or " (not here)")
    end,
  }, function(row)
    if row then
      vim.cmd(row.act)
    end
  end)
end

return M
