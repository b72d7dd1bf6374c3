"""The parts of `nvim_speed.py`."""
