"""Matrices only: numpy, scipy and sparse_dot_topn. Nothing here knows what a document, a label or a domain is."""
