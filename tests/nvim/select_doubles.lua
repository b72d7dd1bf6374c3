-- What plug-ins that replace `vim.ui.select` and `vim.ui.input` do with a prompt, and what they put under the first key.
local M = {}

local function first_line(text)
  return vim.split(text or "", "\n")[1]
end

local function list(title, rows, choose, at)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, rows)
  local win = vim.api.nvim_open_win(buf, true, {
    relative = "editor", row = 2, col = 2, width = 50, height = math.max(#rows, 1), border = "single",
    title = title, style = "minimal",
  })
  vim.api.nvim_win_set_cursor(win, { at, 0 })
  vim.keymap.set("n", "<CR>", function()
    local index = vim.api.nvim_win_get_cursor(win)[1]
    vim.api.nvim_win_close(win, true)
    choose(index)
  end, { buffer = buf })
end

local function labels(items, options)
  return vim.tbl_map((options or {}).format_item or tostring, items)
end

-- The title of the list is the prompt on one line, cut by the border.
function M.snacks(items, options, done)
  local title = (options.prompt or "Select"):gsub("\n", " "):gsub(":%s*$", "")
  list(title:sub(1, 40), labels(items, options), function(index) done(items[index], index) end, 1)
end

-- `prompt_title` is one line.
function M.telescope(items, options, done)
  list(first_line(options.prompt), labels(items, options), function(index) done(items[index], index) end, 1)
end

-- Rows are numbered, and the prompt stands before what is typed, on one line.
M["fzf-lua"] = function(items, options, done)
  local rows = {}
  for index, label in ipairs(labels(items, options)) do
    rows[index] = ("%d. %s"):format(index, label)
  end
  list(first_line(options.prompt):sub(1, 30) .. "> ", rows, function(index) done(items[index], index) end, 1)
end

-- The built-in backend: the title is trimmed to the width of the window.
function M.dressing(items, options, done)
  list(vim.trim(first_line(options.prompt)):sub(1, 48), labels(items, options), function(index) done(items[index], index) end, 1)
end

---Put one of them in place; what comes to it is counted.
function M.use(name)
  vim.g.selects = 0
  vim.ui.select = function(...)
    vim.g.selects = vim.g.selects + 1
    M[name](...)
  end
  vim.ui.input = function(options, done)
    vim.g.selects = vim.g.selects + 1
    list(first_line(options.prompt):sub(1, 40), { "" }, function() done("") end, 1)
  end
end

return M
