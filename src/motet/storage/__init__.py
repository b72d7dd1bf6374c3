"""What durable stores have in common: one thread that writes, files that are private, failures in words."""
