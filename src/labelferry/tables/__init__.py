"""Users' files and frames in and out: one file per format, the Table that all of them give, columns and rows."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
