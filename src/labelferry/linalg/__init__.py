"""Matrix computations with numpy, scipy and sparse_dot_topn, independent of documents, labels and domains."""
