"""Boards: agents and humans on one page."""
