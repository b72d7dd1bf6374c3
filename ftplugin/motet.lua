-- A chat is Markdown to whoever asks for its language; its colours are motet's own, so no tree is kept while it grows.
if vim.fn.has("nvim-0.11") == 0 then
  return
end
vim.treesitter.language.register("markdown", "motet")
vim.bo.commentstring = "<!-- %s -->"
