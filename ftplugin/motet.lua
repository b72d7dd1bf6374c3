-- A chat is Markdown to whoever asks for its language; its colours are motet's own, so no tree is kept while it grows.
vim.treesitter.language.register("markdown", "motet")
vim.bo.commentstring = "<!-- %s -->"
