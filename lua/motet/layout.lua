-- Windows of chats.
local api = vim.api
local events = require("motet.events")
local M = {}

-- The window that is left shows something else, and no text that is not written goes with what it showed: where
-- 'hidden' is off and that would be lost, another window is opened.
local function is_free(win)
  local buf = api.nvim_win_get_buf(win)
  local keeps = vim.o.hidden or vim.bo[buf].bufhidden == "hide" or #vim.fn.win_findbuf(buf) > 1
  return not vim.wo[win].winfixbuf and (keeps or not vim.bo[buf].modified)
end

---Close a window of a chat; false where it is the last one, which stays. Floating windows are none beside it.
---@return boolean
function M.close(win)
  local is_split = api.nvim_win_get_config(win).relative == ""
  local others = vim.tbl_filter(function(one)
    return one ~= win and api.nvim_win_get_config(one).relative == ""
  end, api.nvim_list_wins())
  if is_split and #others == 0 then
    return false
  end
  api.nvim_win_close(win, false)
  return true
end

local function size(of_all)
  local wanted = require("motet").options.size
  return math.floor(wanted <= 1 and of_all * wanted or wanted)
end

local function float(buf)
  local width, height = math.floor(vim.o.columns * 0.8), math.floor(vim.o.lines * 0.8)
  api.nvim_open_win(buf, true, {
    relative = "editor", width = width, height = height, border = "rounded",
    col = math.floor((vim.o.columns - width) / 2), row = math.floor((vim.o.lines - height) / 2) - 1,
  })
end

-- The command that makes the window of a layout; nil: it is this one.
local function command(layout)
  if layout == "tab" then
    return "tab split"
  elseif layout == "below" or layout == "above" then
    return (layout == "below" and "botright " or "topleft ") .. size(vim.o.lines) .. "split"
  elseif layout ~= "current" then
    return (layout == "left" and "topleft " or "botright ") .. size(vim.o.columns) .. "vsplit"
  end
  return not is_free(api.nvim_get_current_win()) and "split" or nil
end

---Show `buf` in a new window, or in this one, as `layout` says. Autocommands of others that fail stop nothing.
function M.show(buf, layout)
  layout = layout or require("motet").options.layout
  local function is_shown()
    return api.nvim_get_current_buf() == buf
  end
  if layout == "float" then
    return events.past(function() float(buf) end, is_shown)
  end
  local new, before = command(layout), api.nvim_get_current_win()
  if new then
    events.past(function() vim.cmd(new) end, function() return api.nvim_get_current_win() ~= before end)
  end
  vim.wo.winfixbuf = false
  events.past(function() api.nvim_win_set_buf(0, buf) end, is_shown)
end

---A window that shows a chat from now on. All of this goes with the buffer: what comes into the window later has its own.
function M.style(win)
  local wo = vim.wo[win][0]
  wo.wrap, wo.linebreak, wo.breakindent = true, true, true
  wo.conceallevel, wo.concealcursor = 2, "nvic"
  wo.number, wo.relativenumber, wo.signcolumn, wo.foldcolumn = false, false, "no", "0"
  wo.foldmethod, wo.foldenable, wo.foldtext = "manual", true, "v:lua.require'motet.blocks'.foldtext()"
  wo.fillchars = (vim.o.fillchars == "" and "" or vim.o.fillchars .. ",") .. "fold: "
  wo.winbar = "%{%v:lua.require'motet.bar'.winbar()%}"
end

---Go to a window of this tab page for the file of `buf`: one that shows it, this one, the one before, any other; made where
---all show something else.
function M.beside(buf)
  local wins = { api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#")) }
  vim.list_extend(wins, api.nvim_tabpage_list_wins(0))
  local shown = vim.tbl_filter(function(win)
    return win ~= 0 and api.nvim_win_get_buf(win) == buf
  end, wins)
  for _, win in ipairs(wins) do
    if win ~= 0 and api.nvim_win_get_config(win).relative == "" and is_free(win) then
      shown[#shown + 1] = vim.bo[api.nvim_win_get_buf(win)].buftype == "" and win or nil
    end
  end
  if shown[1] then
    api.nvim_set_current_win(shown[1])
  else
    vim.cmd("topleft new")
  end
end

return M
