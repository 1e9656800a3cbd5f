"""One file = one paper of the five."""

from .tcl import TCL

__all__ = ["TCL"]
