"""What `edit_speed.py` is made of: texts and answers to edit, rounds in turns, the rows of its table."""
