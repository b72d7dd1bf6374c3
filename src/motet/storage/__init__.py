"""What durable stores have in common: one thread that writes, files that are private and opened anew when another one
has come in their place, failures in words."""
