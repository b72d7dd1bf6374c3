-- A list to pick from: a line to type in, the rows that fit, and what is seen of the one under the bar. Rows and previews
-- come from the program by notifications; what comes too late is left away.
local api = vim.api
local process = require("motet.process")

local M = {}

local ns = api.nvim_create_namespace("motet.picker")
local current ---@type table?
local asked = 0

vim.api.nvim_set_hl(0, "MotetPicked", { link = "Visual", default = true })

local function scratch()
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden, vim.bo[buf].modeline = "wipe", false
  return buf
end

local function float(buf, at)
  local win = api.nvim_open_win(buf, false, vim.tbl_extend("force", {
    relative = "editor", style = "minimal", border = "rounded",
  }, at))
  vim.wo[win].winhighlight = "Normal:Normal,FloatBorder:Comment"
  return win
end

-- The prompt above, rows below it; the preview beside them, or below where the editor is narrow.
local function windows(title)
  local columns, lines = vim.o.columns, vim.o.lines - vim.o.cmdheight
  local width, height = math.min(columns - 4, 140), math.min(lines - 6, 40)
  local left, top = math.floor((columns - width) / 2) - 1, math.max(math.floor((lines - height) / 2) - 2, 0)
  local beside = width >= 100
  local list_width = beside and math.floor(width * 0.45) or width
  local list_height = beside and height - 3 or math.floor((height - 3) / 2)
  local at = {
    prompt = { row = top, col = left, width = list_width, height = 1, title = " " .. title .. " " },
    list = { row = top + 3, col = left, width = list_width, height = math.max(list_height, 1) },
    preview = beside
        and { row = top, col = left + list_width + 2, width = width - list_width - 2, height = height }
      or { row = top + list_height + 5, col = left, width = width, height = math.max(height - list_height - 5, 1) },
  }
  local found = { bufs = {}, wins = {} }
  for name, place in pairs(at) do
    found.bufs[name] = scratch()
    found.wins[name] = float(found.bufs[name], vim.tbl_extend("force", place, { focusable = name == "prompt" }))
  end
  return found
end

local function close(picked)
  local one = current
  current = nil
  if not one then
    return
  end
  if api.nvim_get_mode().mode:match("^i") then
    vim.cmd.stopinsert()
  end
  for _, win in pairs(one.wins) do
    pcall(api.nvim_win_close, win, true)
  end
  if one.key then
    require("motet.keys").swallow(one.key)
  end
  if api.nvim_win_is_valid(one.from) then
    api.nvim_set_current_win(one.from)
  end
  local spot = api.nvim_win_get_cursor(0)
  if picked then
    vim.schedule(function()
      if api.nvim_get_current_win() == one.from then -- leaving insert mode has moved it
        pcall(api.nvim_win_set_cursor, one.from, spot)
      end
      one.spec.choose({ value = picked[1], shown = picked[2], about = picked[3], text = picked[4] })
    end)
  end
end

local function typed()
  return api.nvim_buf_get_lines(current.bufs.prompt, 0, 1, false)[1] or ""
end

local function ask()
  asked = asked + 1
  current.asked, current.query, current.wanted = asked, typed(), false
  process.tell("pick", asked, current.spec.kind, current.query)
end

-- The rows for what is typed are asked for, unless they have been.
local function ask_newer()
  if current and typed() ~= current.query then
    ask()
  end
end

-- The row under the bar; when its rows are older than what is typed, the first of those that are on their way.
local function choose()
  ask_newer()
  if current and current.shown ~= current.asked then
    current.wanted = true
  else
    close(current and current.rows[current.at])
  end
end

local function set_lines(buf, lines)
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
end

local function bar()
  local buf, row = current.bufs.list, current.rows[current.at]
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  if not row then
    set_lines(current.bufs.preview, {})
    return
  end
  api.nvim_buf_set_extmark(buf, ns, current.at - 1, 0, { line_hl_group = "MotetPicked" })
  api.nvim_win_set_cursor(current.wins.list, { current.at, 0 })
  asked = asked + 1
  current.previewed = asked
  process.tell("preview", asked, current.spec.kind, row[1])
end

local function move(by)
  return function()
    if current and #current.rows > 0 then
      current.at = (current.at - 1 + by) % #current.rows + 1
      bar()
    end
  end
end

local function scroll(key)
  return function()
    if current then
      api.nvim_win_call(current.wins.preview, function()
        vim.cmd.normal({ args = { vim.keycode(key) }, bang = true })
      end)
    end
  end
end

local KEYS = {
  ["<C-n>"] = move(1), ["<Down>"] = move(1), ["<C-p>"] = move(-1), ["<Up>"] = move(-1),
  ["<C-d>"] = scroll("<C-d>"), ["<C-u>"] = scroll("<C-u>"),
  ["<Esc>"] = function() close() end,
  ["<C-c>"] = function() close() end,
  ["<CR>"] = choose,
}

---Let the human pick one: a `kind` of rows that the program knows.
---`typed`: what stands in its line at the beginning.
---@param spec { title: string, kind: string, typed?: string, choose: fun(row: { value: string, shown: string, about: string, text: string }) }
function M.pick(spec)
  local own = require("motet").options.picker
  if type(own) == "function" then
    return own(spec)
  end
  close()
  current = windows(spec.title)
  current.spec, current.rows, current.at, current.from = spec, {}, 1, api.nvim_get_current_win()
  local prompt = current.bufs.prompt
  for key, act in pairs(KEYS) do
    vim.keymap.set({ "i", "n" }, key, function()
      if current then
        current.key = key
        act()
      end
    end, { buffer = prompt, nowait = true })
  end
  api.nvim_create_autocmd("TextChangedI", { buffer = prompt, callback = ask_newer })
  api.nvim_create_autocmd("WinLeave", { buffer = prompt, callback = function() vim.schedule(close) end })
  api.nvim_set_current_win(current.wins.prompt)
  api.nvim_buf_set_lines(prompt, 0, -1, false, { spec.typed or "" })
  vim.cmd("startinsert!")
  ask()
end

---The rows that fit what was typed.
function M.picked(number, rows)
  if not current or number ~= current.asked then
    return
  end
  if current.wanted then
    return close(rows[1])
  end
  current.rows, current.at, current.shown = rows, 1, number
  set_lines(current.bufs.list, vim.tbl_map(function(row)
    return row[3] ~= "" and ("%s  %s"):format(row[2], row[3]) or row[2]
  end, rows))
  bar()
end

---What is seen of a row.
function M.previewed(number, value, lines, filetype, line)
  if not current or number ~= current.previewed then
    return
  end
  local buf = current.bufs.preview
  set_lines(buf, lines)
  local known = filetype ~= "" and filetype or vim.filetype.match({ filename = value:gsub(":%d+$", ""), contents = lines }) or ""
  vim.bo[buf].syntax = known
  pcall(api.nvim_win_set_cursor, current.wins.preview, { math.max(line, 1), 0 })
end

return M
