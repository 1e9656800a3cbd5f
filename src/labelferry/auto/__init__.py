"""Choosing among methods without labels of the target."""

from .choose import PANEL, Choice, Member, choose
from .verdict import Verdict, judge

__all__ = ["PANEL", "Choice", "Member", "Verdict", "choose", "judge"]
