"""Parts of `chat_speed.py`."""
