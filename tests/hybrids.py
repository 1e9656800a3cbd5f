"""Small hybrid graphs for the tests of label and similarity propagation."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from labelferry.core.domains import Domains, read_domains
from labelferry.families.hybrid_graph import TargetGraph, relations, scales

from .planted import Task, stacked


def as_domains(task: Task) -> Domains:
    return read_domains(*stacked(task), estimator="test")


def blocks_of(task: Task, tau: float = 1.0) -> TargetGraph:
    domains = as_domains(task)
    s = scales(domains, "none", tau)
    return TargetGraph(relations(task.Xs, s, 0), task.ys, relations(task.Xt, s, 1))


def counted(task: Task) -> Task:
    """The task with the counts behind its unit rows, if a word occurs once in every document."""
    return task._replace(Xs=_counts(task.Xs), Xt=_counts(task.Xt))


def _counts(X: sp.csr_array) -> sp.csr_array:
    smallest = X.min(axis=1, explicit=True).toarray().ravel()
    return sp.csr_array(np.rint((sp.diags_array(1 / smallest) @ X).toarray()))
