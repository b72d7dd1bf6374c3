"""What is measured of boards: writing, hearing of what was written, reading."""
