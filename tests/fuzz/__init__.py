"""Fuzzing: inputs that nobody writes on purpose. `make fuzz` searches for new ones, guided by coverage.

One file per kind of input. Each has `decode`, which makes a case from bytes; `check`, which runs it and raises
`Finding` for anything that is not allowed (see `rules`); `seeds`, bytes to begin with; and `PAST`, cases that once
failed, which `tests/cli/test_fuzz_corpus.py` runs again.
"""
