"""Corpora, one file each. A loader takes a path, or looks in $LABELFERRY_DATA, then in the user's cache."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
