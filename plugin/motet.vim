" For an editor that is too old to load plugin/motet.lua: one line that says so, when `:Motet` is used.
if has('nvim-0.5') || exists(':Motet') == 2
  finish
endif
command! -nargs=* -range -bang Motet echohl ErrorMsg | echomsg 'motet: Neovim 0.11 or newer is needed' | echohl None
