"""One file = one paper of the five."""

from .gcmf import GCMF
from .tcl import TCL

__all__ = ["GCMF", "TCL"]
