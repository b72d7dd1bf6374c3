-- Maps of boards: of the page, and of the draft below it.
local M = {}

local function board()
  return require("motet.board")
end

local function commands()
  return require("motet.board_commands")
end

-- Name, what it says of itself, what it does, and where it is: "draft", "page", or nil for both.
local function actions(one)
  return {
    { "send", "post", function() board().send(one) end },
    { "say", "write something", function() board().say_here(true) end, "page" },
    { "drop", "leave the post that is changed as it is", function() board().drop_edit(one) end, "draft" },
    { "complete", "complete a name", function() board().complete() end, "draft" },
    { "next", "next post", function() require("motet.board_page").jump(true) end, "page" },
    { "previous", "previous post", function() require("motet.board_page").jump(false) end, "page" },
    { "edit", "change your last post", function() commands().acts.edit() end },
    { "retract", "take your last post back", function() commands().acts.retract() end },
    { "agents", "who is there; mention one", function() commands().agents() end },
    { "notices", "what you were told", function() commands().notices() end },
    { "help", "show these maps", function() require("motet.keys").show() end },
  }
end

---Map the keys of a buffer of a board.
function M.map(buf, one, is_draft)
  local where = is_draft and "draft" or "page"
  require("motet.keys").set(buf, require("motet").options.maps.board or {}, "board-", vim.tbl_filter(function(action)
    return not action[4] or action[4] == where
  end, actions(one)))
end

return M
