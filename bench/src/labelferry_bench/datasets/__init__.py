"""Corpora, one file per corpus. A loader reads a given path, or searches $LABELFERRY_DATA and the user's cache."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
