"""What `bench/offline_fix.py` is made of: the corpus, the mutations, and the judge."""
