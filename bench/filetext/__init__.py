"""Forms in which a prompt can hold the text of a file, and the texts that they are held against."""
