-- Windows of chats.
local api = vim.api
local M = {}

local function size(of_all)
  local wanted = require("motet").options.size
  return math.floor(wanted <= 1 and of_all * wanted or wanted)
end

---Show `buf` in a new window, or in this one, as `layout` says.
function M.show(buf, layout)
  layout = layout or require("motet").options.layout
  if layout == "tab" then
    vim.cmd("tab split")
  elseif layout == "float" then
    local width, height = math.floor(vim.o.columns * 0.8), math.floor(vim.o.lines * 0.8)
    api.nvim_open_win(buf, true, {
      relative = "editor", width = width, height = height, border = "rounded",
      col = math.floor((vim.o.columns - width) / 2), row = math.floor((vim.o.lines - height) / 2) - 1,
    })
  elseif layout == "below" or layout == "above" then
    vim.cmd((layout == "below" and "botright " or "topleft ") .. size(vim.o.lines) .. "split")
  elseif layout ~= "current" then
    vim.cmd((layout == "left" and "topleft " or "botright ") .. size(vim.o.columns) .. "vsplit")
  elseif vim.wo.winfixbuf then
    vim.cmd("split")
  end
  if layout ~= "float" then
    vim.wo.winfixbuf = false
    api.nvim_win_set_buf(0, buf)
  end
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

---A window of this tab page for a file: this one, the one before, any other; made where all show something else.
function M.beside()
  local before = vim.fn.win_getid(vim.fn.winnr("#"))
  local wins = vim.list_extend({ api.nvim_get_current_win(), before }, api.nvim_tabpage_list_wins(0))
  for _, win in ipairs(wins) do
    if win ~= 0 and api.nvim_win_get_config(win).relative == "" and not vim.wo[win].winfixbuf then
      if vim.bo[api.nvim_win_get_buf(win)].buftype == "" then
        api.nvim_set_current_win(win)
        return
      end
    end
  end
  vim.cmd("topleft new")
end

return M
