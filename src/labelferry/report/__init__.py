"""Results as pages and pictures: plain values in, HTML or a matplotlib figure out."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
