-- What every floor has: a chat buffer with the same window and the same highlighting as motet's, appended to as cheaply
-- as Neovim allows.
local api = vim.api
local M = {}
local ns = api.nvim_create_namespace("floor")

local function mark(buf, row, from, to, group)
  api.nvim_buf_set_extmark(buf, ns, row, from, { end_col = to, hl_group = group })
end

-- One finished line.
local function highlight(self, row, line)
  local buf = self.buf
  if line:sub(1, 3) == "```" then
    self.in_code = not self.in_code
    mark(buf, row, 0, #line, "Special")
  elseif self.in_code then
    mark(buf, row, 0, #line, "String")
  elseif line:match("^#+ ") then
    mark(buf, row, 0, #line, "Title")
  elseif line:byte(1) == 62 then
    mark(buf, row, 0, #line, "Comment")
  else
    if line:match("^%s*[-*] ") then
      mark(buf, row, 0, 1, "Special")
    end
    for from, to in line:gmatch("()`[^`]+`()") do
      mark(buf, row, from - 1, to - 1, "String")
    end
    for from, to in line:gmatch("()%*%*[^*]+%*%*()") do
      mark(buf, row, from - 1, to - 1, "Bold")
    end
  end
end

function M.open()
  local self = { messages = {}, busy = false, said = {}, in_code = false, done_rows = 0 }
  self.buf = api.nvim_create_buf(false, true)
  vim.bo[self.buf].undolevels = -1
  vim.cmd("botright " .. math.floor(vim.o.columns * 0.45) .. "vsplit")
  self.win = api.nvim_get_current_win()
  api.nvim_win_set_buf(self.win, self.buf)
  local wo = vim.wo[self.win]
  wo.wrap, wo.linebreak, wo.breakindent = true, true, true
  return setmetatable(self, { __index = M })
end

function M:append(text)
  api.nvim_buf_set_text(self.buf, -1, -1, -1, -1, vim.split(text, "\n", { plain = true }))
  local last = api.nvim_buf_line_count(self.buf) - 1
  for at, line in ipairs(api.nvim_buf_get_lines(self.buf, self.done_rows, last, false)) do
    highlight(self, self.done_rows + at - 1, line)
  end
  self.done_rows = last
  api.nvim_win_set_cursor(self.win, { last + 1, 0 })
end

-- Say something: the body of the request.
function M:ask(text)
  self.messages[#self.messages + 1] = { role = "user", content = text }
  self.busy, self.said = true, {}
  self:append("## Me\n\n" .. text .. "\n\n## AI\n\n")
  return vim.json.encode({ model = "m", stream = true, messages = self.messages })
end

-- A piece of the answer.
function M:hear(text)
  self.said[#self.said + 1] = text
  self:append(text)
end

function M:ended()
  self.messages[#self.messages + 1] = { role = "assistant", content = table.concat(self.said) }
  self:append("\n\n")
  self.busy = false
end

-- The functions of a driver; `start()` gives a function that sends a body, and a function that says whether it can.
function M.driver(start)
  local D, chat, send, can = {}, nil, nil, nil
  function D.setup(cfg)
    D.url = cfg.url
  end
  function D.open()
    chat = M.open()
    send, can = start(chat, D.url)
  end
  function D.ready()
    return can()
  end
  function D.submit(text)
    send(chat:ask(text))
  end
  function D.done()
    return not chat.busy
  end
  function D.chat_bufnr()
    return chat.buf
  end
  return D
end

return M
