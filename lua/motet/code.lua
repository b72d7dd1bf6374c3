-- Code blocks in their language's colours, once each when they are finished: parsed from their text, so that no tree is
-- kept of a document that grows, and marked in slices, so that the editor never waits for a large one.
local api, ts = vim.api, vim.treesitter
local M = {}

local LONGEST = 64 * 1024 -- bytes of a block; longer ones stay as they are
local SLICE = 2e6 -- nanoseconds of marking at a time
local NAMES = {
  bash = "bash", cs = "c_sharp", ["c++"] = "cpp", js = "javascript", jsx = "javascript", md = "markdown", py = "python",
  python3 = "python", rb = "ruby", rs = "rust", sh = "bash", shell = "bash", ts = "typescript", yml = "yaml", zsh = "bash",
}

local queries = {} ---@type table<string, { lang: string, query: vim.treesitter.Query }|false>

-- What a fence names, when its parser and its query are here.
local function language(name)
  name = name:lower()
  if queries[name] == nil then
    local lang = NAMES[name] or ts.language.get_lang(name) or name
    local has, added = pcall(ts.language.add, lang)
    local read, query = pcall(ts.query.get, lang, "highlights")
    queries[name] = has and added and read and query and { lang = lang, query = query } or false
  end
  return queries[name]
end

local waiting = {} ---@type thread[] first come, first done

local function work()
  local job = waiting[1]
  local done, why = coroutine.resume(job)
  if coroutine.status(job) == "dead" then
    table.remove(waiting, 1)
  end
  if #waiting > 0 then
    vim.defer_fn(work, 1)
  end
  if not done then
    error(why)
  end
end

-- Mark what the query finds, as long as the fence above is where it was.
local function marking(block, root, text, found)
  return coroutine.create(function()
    local begun, cleared = vim.uv.hrtime(), false
    for id, node, metadata in found.query:iter_captures(root, text) do
      if vim.uv.hrtime() - begun > SLICE then
        coroutine.yield()
        begun = vim.uv.hrtime()
      end
      local row = block.row()
      if not row then
        return
      end
      if not cleared then
        api.nvim_buf_clear_namespace(block.buf, block.ns, row + 1, row + 1 + block.lines)
        cleared = true
      end
      local name = found.query.captures[id]
      if name:byte(1) ~= 95 and name ~= "spell" and name ~= "nospell" and name ~= "conceal" then
        local from, column, to, last = node:range()
        api.nvim_buf_set_extmark(block.buf, block.ns, row + 1 + from, column, {
          end_row = row + 1 + to, end_col = last, hl_group = ("@%s.%s"):format(name, found.lang), strict = false,
          priority = (tonumber(metadata.priority) or 100) + (metadata[id] and tonumber(metadata[id].priority) or 0),
        })
      end
    end
  end)
end

---Give a finished block the colours of its language, some time soon.
---@param block { buf: integer, ns: integer, lines: integer, row: fun(): integer? } lines between the fences; the row of
---the first fence, while it is there
---@param name string what the fence says
function M.colour(block, name)
  local found = name ~= "" and block.lines > 0 and language(name)
  local row = found and block.row()
  if not found or not row then
    return
  end
  local lines = api.nvim_buf_get_lines(block.buf, row + 1, row + 1 + block.lines, false)
  local text = table.concat(lines, "\n") .. "\n"
  if #text > LONGEST then
    return
  end
  local parser = ts.get_string_parser(text, found.lang)
  parser:parse(false, function(_, trees) -- in slices, too
    if trees and trees[1] then
      waiting[#waiting + 1] = marking(block, trees[1]:root(), text, found)
      if #waiting == 1 then
        vim.schedule(work)
      end
    end
  end)
end

return M
