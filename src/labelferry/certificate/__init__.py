"""Certificates: exact statistics from hand-made answers, valid when people look after every answer.

The mathematics: `bounds` (a count), `betting` (a sum), `pairs` (two counts of mistakes), `limits` (a claim), `recall`.
What is proved with it: `certificate` (all labels), `accept` (labels to use, by a `ladder`), `finish` (a whole file),
`rounds` (several claims), `search` (all of a class). What to expect of answers: `planning`, `expected`, `search_plan`.
"""

from .certificate import Certificate, ClassCertificate, certify
from .duel import Duel
from .interval import LEVEL, Interval
from .planning import Need
from .sampling import NO_CLASS, UNCLEAR_CODE, Answers, audit_order, duel_order

__all__ = [
    "LEVEL",
    "NO_CLASS",
    "UNCLEAR_CODE",
    "Answers",
    "Certificate",
    "ClassCertificate",
    "Duel",
    "Interval",
    "Need",
    "audit_order",
    "certify",
    "duel_order",
]
