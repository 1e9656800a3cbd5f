"""Certificates: exact statistics from hand-made answers, valid when people look after every answer."""

from .bounds import Interval, clopper_pearson
from .certificate import Certificate, ClassCertificate, certify
from .duel import Duel
from .planning import Need
from .sampling import Answers, audit_order, duel_order

__all__ = [
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
