-- The floor in two processes: a bare Python one reads the stream, and has its text appended.
local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
local floor = dofile(here .. "/floor.lua")

return floor.driver(function(chat, url)
  local ready, job = false, nil
  _G.floor_ready = function()
    ready = true
  end
  _G.floor_hear = function(text)
    chat:hear(text)
  end
  _G.floor_ended = function()
    chat:ended()
  end
  job = vim.fn.jobstart({ vim.env.BENCH_PYTHON, here .. "/floor_process.py" }, { rpc = true })
  return function(body)
    vim.rpcnotify(job, "send", url, body)
  end, function()
    return ready
  end
end)
