"""Certificates: exact statistics from hand-made answers, valid when people look after every answer."""

from .certificate import Certificate, ClassCertificate, certify
from .duel import Duel
from .interval import LEVEL, Interval, clopper_pearson
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
    "clopper_pearson",
    "duel_order",
]
