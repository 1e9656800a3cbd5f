"""Certificates: exact statistics from hand-made answers, valid when people look after every answer."""

from .accept import certified, next_question
from .accepted import Accepted, Rung, accept_labels
from .ahead import Step, next_questions
from .certificate import Certificate, ClassCertificate, certify
from .duel import Duel
from .expected import Expected, expected_further, expected_labels
from .final_answers import contradictions, wrong_labels
from .finish import Finished, finish_file, finish_questions
from .interval import LEVEL, Interval, clopper_pearson
from .ladder import Ladder, make_ladder, require_frozen
from .planning import Need
from .rounds import accept_several, make_class_ladders, next_of_several, round_tail, union
from .sampling import NO_CLASS, UNCLEAR_CODE, Answers, audit_order, duel_order

__all__ = [
    "LEVEL",
    "NO_CLASS",
    "UNCLEAR_CODE",
    "Accepted",
    "Answers",
    "Certificate",
    "ClassCertificate",
    "Duel",
    "Expected",
    "Finished",
    "Interval",
    "Ladder",
    "Need",
    "Rung",
    "Step",
    "accept_labels",
    "accept_several",
    "audit_order",
    "certified",
    "certify",
    "clopper_pearson",
    "contradictions",
    "duel_order",
    "expected_further",
    "expected_labels",
    "finish_file",
    "finish_questions",
    "make_class_ladders",
    "make_ladder",
    "next_of_several",
    "next_question",
    "next_questions",
    "require_frozen",
    "round_tail",
    "union",
    "wrong_labels",
]
