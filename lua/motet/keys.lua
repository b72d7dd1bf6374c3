-- Maps of chat buffers: each with a <Plug> name and a description, replaceable by the option `maps`.
local api = vim.api
local M = {}

local function chat()
  return require("motet.chat")
end

local function command(words)
  return function()
    vim.cmd("Motet " .. words)
  end
end

local function follow(builtin)
  return function()
    if not require("motet.here").follow() then
      if builtin == "gx" then
        vim.ui.open(vim.fn.expand("<cfile>"))
      else
        vim.cmd("normal! " .. builtin)
      end
    end
  end
end

local function unfold()
  local found = require("motet.chats").by_buf[api.nvim_get_current_buf()]
  if not found or not require("motet.here").unfold(found) then
    vim.cmd("normal! K")
  end
end

local function here(name, ...)
  local given = { ... }
  return function()
    local found = require("motet.chats").find(api.nvim_get_current_buf())
    if found then
      require("motet.here")[name](found, unpack(given))
    end
  end
end

-- Name, what it says of itself, what it does, and whether a draft's own window has it too.
local ACTIONS = {
  { "send", "send", function() chat().send(api.nvim_get_current_buf()) end, true },
  { "stop", "stop; when nothing runs: close the window", function() chat().stop_or_close() end, true },
  { "say", "say something: go to the draft", function() chat().say_here(true) end },
  { "complete", "complete a name or path", function() chat().complete() end, true },
  { "next", "next heading", here("heading", true) },
  { "previous", "previous heading", here("heading", false) },
  { "file", "open the file at the cursor", follow("gf") },
  { "link", "open the link at the cursor", follow("gx") },
  { "unfold", "read what was shared at the cursor", unfold },
  { "retry", "ask again, or go on", command("retry") },
  { "model", "choose a model", function() chat().choose_model() end },
  { "inspect", "see the next request", command("inspect") },
  { "apply", "apply the code block at the cursor", here("apply_code") },
  { "yank", "yank the code block at the cursor", here("yank_code") },
  { "fold", "fold code blocks, or unfold them", here("fold_code") },
  { "pin", "pin the item at the cursor", here("mark", "pin") },
  { "watch", "watch the item at the cursor", here("mark", "watch") },
  { "system", "change the system prompt", command("system") },
  { "undo", "take back the edits of the last turn", command("undo") },
  { "fork", "fork the chat here, to change this message", here("fork") },
  { "clear", "begin anew", command("clear") },
  { "next_chat", "next chat", function() chat().cycle(1) end },
  { "previous_chat", "previous chat", function() chat().cycle(-1) end },
  { "help", "show these maps", function() M.show() end, true },
}

---Map the keys of a chat's buffer, or of a draft's own.
function M.map(buf, is_draft)
  M.set(buf, require("motet").options.maps or {}, "", vim.tbl_filter(function(action)
    return action[4] or not is_draft
  end, ACTIONS))
end

---Map `actions`: name, what it says of itself, what it does. `about` stands before their names in those of <Plug>.
function M.set(buf, maps, about, actions)
  for _, action in ipairs(actions) do
    local name, desc, act = unpack(action)
    local plug = ("<Plug>(motet-%s%s)"):format(about, name:gsub("_", "-"))
    vim.keymap.set({ "n", "i" }, plug, act, { buffer = buf, desc = "motet: " .. desc })
    for mode, key in pairs(type(maps[name]) == "table" and maps[name] or {}) do
      if key then
        vim.keymap.set(mode, key, plug, { buffer = buf, desc = "motet: " .. desc, nowait = true, remap = true })
      end
    end
  end
end

---Milliseconds in which a key that has closed a window does nothing more.
M.moment = 700

local again = api.nvim_create_namespace("motet.again")

---A window has closed upon `key`: pressed once too often it would act in the buffer below. Until another key is typed, or
---the moment has passed, it does nothing. nil: a while has passed.
---@param key string?
function M.swallow(key)
  local code, last, is_mapped = key and vim.keycode(key), vim.uv.hrtime(), false
  vim.on_key(key and function(_, typed)
    if typed == "" then -- what a map makes of it
      return is_mapped and "" or nil
    elseif typed ~= code or vim.uv.hrtime() - last > M.moment * 1e6 then
      M.swallow(nil)
      return
    end
    last, is_mapped = vim.uv.hrtime(), true
    vim.schedule(function()
      is_mapped = false
    end)
    return ""
  end or nil, again)
end

---Tell which keys do what here.
function M.show()
  local lines = {}
  for _, mode in ipairs({ "n", "i" }) do
    for _, one in ipairs(api.nvim_buf_get_keymap(0, mode)) do
      local what = (one.desc or ""):match("^motet: (.*)")
      if what and not one.lhs:match("^<Plug>") and (one.rhs or ""):match("^<Plug>%(motet%-") then
        lines[#lines + 1] = ("%s %-8s %s"):format(mode, vim.fn.keytrans(one.lhsraw), what)
      end
    end
  end
  table.sort(lines)
  vim.notify(table.concat(lines, "\n"), vim.log.levels.INFO)
end

return M
