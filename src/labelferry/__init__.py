"""labelferry carries labels from one domain of documents to another and estimates how far they can be trusted."""

import lazy_loader as _lazy

__version__ = "0.2.0.dev0"

# The public names and where they live are listed in `__init__.pyi`. They are imported on first use, so that
# `import labelferry` and the command line start fast.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
__all__ += ["__version__"]
