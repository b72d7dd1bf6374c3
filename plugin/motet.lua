-- Defines `:Motet` and the <Plug> maps. Nothing else is loaded before one of them is used.
if vim.g.loaded_motet then
  return
end
vim.g.loaded_motet = 1
if vim.fn.has("nvim-0.11") == 0 then
  vim.cmd("command! -nargs=* -range -bang Motet lua require('motet.old').tell()")
  return
end

vim.api.nvim_create_user_command("Motet", function(args)
  require("motet.command").run(args)
end, {
  nargs = "*",
  range = true,
  bang = true,
  desc = "motet: chats, edits, fixes (:help motet)",
  complete = function(lead, line)
    return require("motet.command").complete(lead, line)
  end,
})

vim.keymap.set({ "n", "x" }, "<Plug>(motet-edit)", function()
  return require("motet.edit").operate()
end, { expr = true, desc = "motet: edit (an operator)" })

for _, name in ipairs({ "chat", "new", "toggle", "stop" }) do
  vim.keymap.set("n", "<Plug>(motet-" .. name .. ")", "<Cmd>Motet " .. name .. "<CR>", { desc = "motet: " .. name })
end

local group = vim.api.nvim_create_augroup("motet.plugin", {})
vim.api.nvim_create_autocmd("BufReadCmd", {
  group = group,
  pattern = "motet://chat/*",
  callback = function(args)
    require("motet.opening").read(args.buf, args.match)
  end,
})
vim.api.nvim_create_autocmd("BufFilePost", {
  group = group,
  pattern = "motet://*",
  callback = function()
    if vim.g.SessionLoad == 1 then -- which names buffers by `:file`, told in a line that would wait for a key
      vim.opt.shortmess:append("F") -- until the session is there: it sets the option back
    end
  end,
})
vim.api.nvim_create_autocmd("BufReadCmd", {
  group = group,
  pattern = "motet://board/*",
  callback = function(args)
    if vim.g.SessionLoad ~= 1 then -- when that is there, its boards are opened
      require("motet.board").read(args.buf, args.match)
    end
  end,
})
vim.api.nvim_create_autocmd("SessionLoadPost", {
  group = group,
  callback = function()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.startswith(vim.api.nvim_buf_get_name(buf), "motet://") then
        return require("motet.opening").restore()
      end
    end
  end,
})
for _, name in ipairs({
  "accept", "reject", "accept-file", "reject-file", "amend", "split", "next", "previous", "quickfix", "beside",
}) do
  vim.keymap.set("n", "<Plug>(motet-review-" .. name .. ")", function()
    require("motet.review").act((name:gsub("-", "_")))
  end, { desc = "motet: review, " .. name })
end
