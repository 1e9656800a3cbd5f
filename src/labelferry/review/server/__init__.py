"""The review page: a web server on this computer for one job. Templates, a style sheet and one small script."""

from .app import new_app
from .guide import read_guide
from .passwords import read_password
from .serve import Address, open_address, serve
from .site import Site

__all__ = ["Address", "Site", "new_app", "open_address", "read_guide", "read_password", "serve"]
