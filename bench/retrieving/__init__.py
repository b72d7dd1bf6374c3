"""What `retrieval.py` and `index_cost.py` share: trees, sets of questions, and plainer ways to find a file."""
