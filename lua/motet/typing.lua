-- What is typed into a draft: it is kept as it is typed, and sent by `:w` alone.
local api = vim.api
local M = {}

---@param group integer
---@param buf integer
---@param acts { typed: fun(), complete: fun(), completed?: fun(), send: fun() }
function M.hear(group, buf, acts)
  local function hear(events, act)
    api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = act })
  end
  hear({ "TextChanged", "TextChangedI", "TextChangedP" }, function()
    vim.bo[buf].modified = false -- nothing asks for a write, and nothing but `:w` makes one
    acts.typed()
  end)
  hear("TextChangedI", function()
    if require("motet.complete").is_wanted() then
      acts.complete()
    end
  end)
  hear("CompleteDone", acts.completed or function() end)
  hear("BufWriteCmd", function(args)
    if args.file == api.nvim_buf_get_name(buf) then
      acts.send()
    else
      require("motet.export").write(buf, args.file)
    end
  end)
end

return M
