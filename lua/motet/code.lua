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

-- Mark what the query finds, as long as the fence above is where it was.
local function mark_all(block, root, text, found)
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
        priority = tonumber(metadata.priority) or 100,
      })
    end
  end
end

local function job(block, resume)
  local found, row = language(block.name), block.row()
  local lines = row and found and api.nvim_buf_get_lines(block.buf, row + 1, row + 1 + block.lines, false)
  local text = lines and table.concat(lines, "\n") .. "\n" or ""
  if #text == 0 or #text > LONGEST then
    return
  end
  local parsed, waits = nil, false
  ts.get_string_parser(text, found.lang):parse(false, function(_, trees) -- in slices of its own, or at once
    parsed = trees or {}
    if waits then
      vim.schedule(resume)
    end
  end)
  if not parsed then
    waits = true
    coroutine.yield(true)
  end
  if parsed[1] then
    mark_all(block, parsed[1]:root(), text, found)
  end
end

local waiting = {} ---@type thread[] first come, first done

local function work()
  local first = waiting[1]
  local done, parses = coroutine.resume(first)
  if coroutine.status(first) == "dead" then
    table.remove(waiting, 1)
    parses = false
  end
  if #waiting > 0 and not parses then
    vim.defer_fn(work, 1)
  end
  if not done then
    error(parses)
  end
end

---Give a finished block the colours of its language, some time soon.
---@param block { buf: integer, ns: integer, name: string, lines: integer, row: fun(): integer? } what its fence says, the
---lines between the fences, and the row of the first fence while it is there
function M.colour(block)
  if block.lines > 0 and block.name ~= "" then
    waiting[#waiting + 1] = coroutine.create(function()
      job(block, work)
    end)
    if #waiting == 1 then
      vim.schedule(work)
    end
  end
end

return M
