-- What can be done with what stands at the cursor of a chat: follow a link, yank or fold code, go to a heading.
local api = vim.api
local blocks = require("motet.blocks")
local M = {}

local function notice(text)
  vim.notify("motet: " .. text, vim.log.levels.INFO)
end

-- Each finds the address of what it knows, with where that stands in the line.
local LINKS = {
  "()%[[^%]]*%]%(<([^<>]+)>%)()",
  "()%[[^%]]*%]%(([^()%s]+)%)()",
  "()@(/[^%s]+)()",
  "()@(https?://[^%s]+)()",
  "()(https?://[^%s<>()]+)()",
}

local function unescaped(item)
  return (item:gsub("&#(%d+);", function(code)
    return vim.fn.nr2char(tonumber(code))
  end))
end

-- The address at the cursor; anywhere in a line of a context block its own.
local function target()
  local line, column = api.nvim_get_current_line(), api.nvim_win_get_cursor(0)[2] + 1
  local item = line:match("^> %- .-<%l+>(.+)</%l+>$")
  if item then
    return unescaped(item)
  end
  for _, pattern in ipairs(LINKS) do
    for from, address, to in line:gmatch(pattern) do
      if column >= from and column < to then
        return address
      end
    end
  end
end

local function decoded(address)
  return (address:gsub("%%(%x%x)", function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

-- The file of an address, and the line in it. An address in a chat begins at the project's root.
local function file_of(address)
  for _, one in ipairs({ address, decoded(address) }) do
    local path, line = one:match("^(.-):(%d+)[%d%-]*$")
    for _, try in ipairs({ { one }, { path, line } }) do
      local name = try[1] and try[1]:gsub("^%./", "")
      for _, root in ipairs(name and { (require("motet.process").root() or vim.fn.getcwd()) .. "/", "" } or {}) do
        local found = root .. (root ~= "" and name:gsub("^/", "") or name)
        if vim.uv.fs_stat(found) then
          return vim.fs.normalize(found), tonumber(try[2])
        end
      end
    end
  end
end

---Show a file in a window for files, at that line.
---@param file string
---@param line? integer
function M.open(file, line)
  local buf = vim.fn.bufadd(file)
  require("motet.layout").beside(buf)
  vim.bo[buf].buflisted = true
  vim.cmd.buffer(buf)
  if line then
    api.nvim_win_set_cursor(0, { math.min(line, api.nvim_buf_line_count(0)), 0 })
  end
end

---Open what the context line, link or mention at the cursor names; false when there is none.
function M.follow()
  local address = target()
  if not address then
    return false
  end
  if address:match("^https?://") then
    vim.ui.open(address)
    return true
  end
  local file, line = file_of(address)
  local buf = not file and vim.fn.bufnr("^" .. vim.fn.escape(address, "\\^$*?[]{},") .. "$") or -1
  if not file and buf == -1 then
    notice(address .. " is not there")
    return true
  end
  if file then
    M.open(file, line)
  else
    require("motet.layout").beside(buf)
    vim.cmd.buffer(buf)
  end
  return true
end

---Show the text that the context line at the cursor stands for, as it was sent; false when there is none.
function M.unfold(chat)
  local line = api.nvim_get_current_line():match("^> %- (.+)")
  if line then
    require("motet.chats").tell(chat, "unfold", blocks.turn(chat, api.nvim_win_get_cursor(0)[1] - 1), line)
  end
  return line ~= nil
end

---Do a slash command that is about an item, with the one at the cursor: of a context line, or a file that is linked or
---mentioned.
function M.mark(chat, command)
  local item = api.nvim_get_current_line():match("^> %- .-(<%l+>.+</%l+>)%s*$")
  item = item and unescaped(item) or (target() or ""):gsub("^%.?/", "")
  if item ~= "" then
    require("motet.chat").command(chat.buf, ("/%s %s"):format(command, item))
  else
    notice("no item that is shared stands here")
  end
end

---Change the message at the cursor, and go on from there in a chat of its own; in the draft, a chat as this one is.
function M.fork(chat)
  require("motet.chats").tell(chat, "fork", blocks.turn(chat, api.nvim_win_get_cursor(0)[1] - 1))
end

---Go to the heading of the next turn, or of the one before, `count` times.
function M.heading(chat, is_next)
  local rows, here = blocks.headings(chat), api.nvim_win_get_cursor(0)[1] - 1
  local found
  for _ = 1, vim.v.count1 do
    for index = is_next and 1 or #rows, is_next and #rows or 1, is_next and 1 or -1 do
      if (is_next and rows[index] > here) or (not is_next and rows[index] < here) then
        here, found = rows[index], rows[index]
        break
      end
    end
  end
  if found then
    vim.cmd("normal! m'")
    api.nvim_win_set_cursor(0, { found + 1, 0 })
  end
end

-- Fenced code from row `first` to before row `last`: rows of the fences, from 0.
local function fenced(buf, first, last)
  local found, open, fence = {}, nil, nil
  for index, line in ipairs(api.nvim_buf_get_lines(buf, first, last, false)) do
    local mark, rest = line:match("^ ? ? ?(```+)([^`]*)$")
    if not mark then
      mark, rest = line:match("^ ? ? ?(~~~+)(.*)$")
    end
    if mark and not open then
      open, fence = first + index - 1, mark
    elseif mark and mark:sub(1, 1) == fence:sub(1, 1) and #mark >= #fence and rest:match("^%s*$") then
      found[#found + 1] = { open, first + index - 1 }
      open = nil
    end
  end
  return found
end

-- The rows of the fences around the code block at the cursor; told when there is none.
local function at_cursor(chat)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local first, last = blocks.around(chat, row)
  for _, one in ipairs(fenced(chat.buf, first, last)) do
    if row >= one[1] and row <= one[2] then
      return one
    end
  end
  notice("no code block stands here")
end

---Yank the code block at the cursor into the register that was named.
function M.yank_code(chat)
  local found = at_cursor(chat)
  if found then
    local lines = api.nvim_buf_get_lines(chat.buf, found[1] + 1, found[2], false)
    vim.fn.setreg(vim.v.register, lines, "V")
    notice(("%d line%s yanked"):format(#lines, #lines == 1 and "" or "s"))
  end
end

---Have the edits in the code block at the cursor proposed.
function M.apply_code(chat)
  local found = at_cursor(chat)
  if found then
    require("motet.chats").tell(chat, "apply", found[1] + 1, found[2] + 1)
  end
end

---Fold all code blocks of this window, or, when they are, take those folds away.
function M.fold_code(chat)
  local folded = vim.w.motet_code_folds == chat.buf
  local rows = vim.list_extend(blocks.starts(chat), { api.nvim_buf_line_count(chat.buf) })
  for index = 1, #rows - 1 do
    for _, one in ipairs(fenced(chat.buf, rows[index], rows[index + 1])) do
      if not folded then
        vim.cmd(("%d,%dfold"):format(one[1] + 1, one[2] + 1))
      elseif vim.fn.foldclosed(one[1] + 1) == one[1] + 1 then
        local view = vim.fn.winsaveview()
        vim.cmd(("silent! %dnormal! zd"):format(one[1] + 1))
        vim.fn.winrestview(view)
      end
    end
  end
  vim.w.motet_code_folds = not folded and chat.buf or nil
end

return M
