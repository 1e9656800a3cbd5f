"""What people come for: label a file, look at a transfer before it, compare methods, label later documents."""

from .apply import apply
from .compare import compare
from .diagnose import diagnose
from .explain import explain
from .label import label
from .labelling import Labelling
from .model import Model, load

__all__ = ["Labelling", "Model", "apply", "compare", "diagnose", "explain", "label", "load"]
