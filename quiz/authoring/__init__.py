"""The author's bench: what is wrong with a bank, what is unfair in it, and what its files may hold."""
