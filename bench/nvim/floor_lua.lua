-- The floor in Lua: a socket, a timer, a buffer, and no other process.
local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
local floor = dofile(here .. "/floor.lua")
local FRAME = 30

local function send(chat, host, port, body)
  local socket, timer = assert(vim.uv.new_tcp()), assert(vim.uv.new_timer())
  local rest, waiting = "", {}

  local function flush()
    if #waiting > 0 then
      local text = table.concat(waiting)
      waiting = {}
      chat:hear(text)
    end
  end
  -- Whole events come in each chunk: what stands between them, and the sizes of chunks, begin in another way.
  local function hear(data)
    data = rest .. data
    local from = 1
    for line, to in data:gmatch("([^\n]*)\n()") do
      from = to
      if line:sub(1, 7) == "data: {" then
        local delta = vim.json.decode(line:sub(7), { luanil = { object = true } }).choices[1].delta
        waiting[#waiting + 1] = delta.content
      end
    end
    rest = data:sub(from)
  end
  socket:connect(host, port, function()
    socket:write(("POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s"):format(host, #body, body))
    timer:start(FRAME, FRAME, vim.schedule_wrap(flush))
    socket:read_start(function(_, data)
      if data then
        return hear(data)
      end
      socket:close()
      timer:close()
      vim.schedule(function()
        flush()
        chat:ended()
      end)
    end)
  end)
end

return floor.driver(function(chat, url)
  local host, port = url:match("//([^:]+):(%d+)")
  return function(body)
    send(chat, host, tonumber(port), body)
  end, function()
    return true
  end
end)
