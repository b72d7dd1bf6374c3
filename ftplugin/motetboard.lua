-- The page of a board is Markdown to whoever asks for its language; its colours are motet's own.
vim.treesitter.language.register("markdown", "motetboard")
vim.bo.commentstring = "<!-- %s -->"
