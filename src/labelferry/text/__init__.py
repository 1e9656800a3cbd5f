"""From users' files and frames to texts, and from texts to matrices. Knows no methods and no corpora."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
