-- What the benchmark asks of an editor: load a driver, open a chat, send, and say how far it is.
local M, driver = {}, nil
_G.bench = M

function M.load(path, cfg)
  driver = dofile(path)
  if driver.setup then
    driver.setup(cfg)
  end
end

-- How long opening blocks the editor, in nanoseconds, and when it began.
function M.open()
  local begun = vim.uv.hrtime()
  driver.open()
  return { begun, vim.uv.hrtime() - begun }
end

function M.ready()
  return driver.ready == nil or driver.ready()
end

-- The same for sending.
function M.submit(text)
  local win = vim.fn.bufwinid(driver.chat_bufnr())
  vim.api.nvim_set_current_win(win)
  local begun = vim.uv.hrtime()
  driver.submit(text)
  return { begun, vim.uv.hrtime() - begun }
end

function M.done()
  return driver.done()
end

function M.text()
  return table.concat(vim.api.nvim_buf_get_lines(driver.chat_bufnr(), 0, -1, false), "\n")
end

return true
