-- Keys of files in which changes wait for review. They outlive the last change: one that is pressed too often, or too early,
-- says that nothing waits, instead of being typed into the code. They go when the buffer is left or something is inserted.
local api = vim.api
local M = {}

local group = api.nvim_create_augroup("motet.review.keys", {})
local taken = {} ---@type table<integer, { mode: string, lhs: string, own?: table }[]>  by buffer; `own`: the human's map

M.described = {
  accept = "accept this change",
  reject = "reject this change",
  amend = "rewrite this change, then accept it",
  split = "split this change into smaller ones",
  accept_file = "accept all changes of this file",
  reject_file = "reject all changes of this file",
  beside = "show what is proposed side by side",
  next = "next change that waits",
  previous = "previous change that waits",
  quickfix = "all changes that wait, in the quickfix list",
}

---The maps of a key, by mode.
---@param name string
---@return table<string, string|false>
function M.of(name)
  return (require("motet").options.maps.review or {})[name] or {}
end

---Let nobody press a key in vain without a word.
function M.say_nothing_waits()
  require("motet.notice").tell("nothing waits for review", vim.log.levels.INFO)
end

local function own_map(lhs, mode)
  local before = vim.fn.maparg(lhs, mode, false, true)
  return before.buffer == 1 and not vim.startswith(before.desc or "", "motet: ") and before or nil
end

-- In the place of the human's own, which come back.
local function set(buf)
  for name, desc in pairs(M.described) do
    for mode, lhs in pairs(M.of(name)) do
      if lhs then
        table.insert(taken[buf], { mode = mode, lhs = lhs, own = own_map(lhs, mode) })
        vim.keymap.set(mode, lhs, "<Plug>(motet-review-" .. name:gsub("_", "-") .. ")", {
          buffer = buf, desc = "motet: " .. desc, remap = true, nowait = true,
        })
      end
    end
  end
end

---Have the keys in `buf`, for as long as something waits there.
function M.take(buf)
  M.drop(buf)
  taken[buf] = {}
  api.nvim_buf_call(buf, function()
    set(buf)
  end)
  api.nvim_create_autocmd("BufDelete", {
    group = group,
    buffer = buf,
    callback = function() -- its maps go with it
      taken[buf] = nil
    end,
  })
end

---Give the keys of `buf` back.
function M.drop(buf)
  local maps = taken[buf]
  taken[buf] = nil
  api.nvim_clear_autocmds({ group = group, buffer = buf })
  if not maps or not api.nvim_buf_is_loaded(buf) then
    return
  end
  for _, one in ipairs(maps) do
    pcall(vim.keymap.del, one.mode, one.lhs, { buffer = buf })
  end
  api.nvim_buf_call(buf, function()
    for _, one in ipairs(maps) do
      if one.own then
        vim.fn.mapset(one.mode, false, one.own)
      end
    end
  end)
end

---Nothing waits in `buf` any more: its keys go when the human goes on with something else.
function M.linger(buf)
  if taken[buf] and buf ~= api.nvim_get_current_buf() then
    M.drop(buf)
  elseif taken[buf] then
    api.nvim_create_autocmd({ "BufLeave", "InsertEnter" }, {
      group = group,
      buffer = buf,
      callback = function()
        M.drop(buf)
      end,
    })
  end
end

---Something is about to wait in `buf`.
function M.expect(buf)
  if not taken[buf] then
    M.take(buf)
    M.linger(buf)
  end
end

return M
