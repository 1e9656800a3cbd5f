"""Is this transfer safe? Two measures of how far a target is from a source, and the risk that follows from one.

They look at documents only, never at labels. See `labelferry.families.divergence` for the formulas and the paper.

    >>> from labelferry import load_demo
    >>> from labelferry.assessment import divergence, gap, risk
    >>> demo = load_demo()
    >>> 0 < gap(demo.X_source, demo.X_target) < 1
    True
    >>> 0 <= risk(divergence(demo.X_source, demo.X_target)) <= 1
    True
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_random_state

from ..core.documents import reject_raw_texts
from ..families import divergence as measures
from ..linalg.matrix import Matrix


def divergence(
    Xs: Any, Xt: Any, *, form: str = "corrected", theta: float = measures.SAME_MEANS, random_state: Any = 0
) -> float:
    """Clustering-based KL divergence of the target from the source, KL(target || source), in nats.

    Both domains are bisected together until their means agree in every cluster; then their shares are compared.

    Parameters
    ----------
    Xs, Xt : documents x words of the source and of the target, the same columns; sparse or dense.
    form : "corrected" is zero for equal shares; "paper" is Lemma 1 as printed, which is not where the samples differ in
        size.
    theta : a cluster is not split where the cosine distance of the two domains' means is below it.
    random_state : seed of the bisection's starts.

    Notes
    -----
    The value grows with the number of documents, since clusters get finer: compare values of samples of like size
    only. `gap` is far steadier.
    """
    if form not in ("corrected", "paper"):
        raise ValueError(f"form must be 'corrected' or 'paper'; got {form!r}.")
    Xs, Xt = read_pair(Xs, Xt)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    return measures.clustered_kl(Xs, Xt, form=form, theta=theta, rng=rng)


def gap(Xs: Any, Xt: Any) -> float:
    """1 - cosine of the two mean documents, freed of sampling noise: 0 for equal means, 1 for no common word.

    Steadier with the number of documents than `divergence`. A small gap makes a transfer likely to be safe: below .22,
    full transfer cost more than a point of purity on 2 of 16 tasks (benchmarks/rsp_tasks.py). A large one says that the
    vocabularies differ, not that transfer must fail, and neither tells of classes that the source does not have.
    """
    return measures.gap(*read_pair(Xs, Xt))


def risk(divergence: float, kappa: float = measures.DEFAULT_KAPPA) -> float:
    """Transfer risk in [0, 1], (6) of Shi et al. 2009: 1/2 where the divergence is kappa.

    kappa = 2 serves samples of about 500 documents a class; e^2 is the paper's. The risk is a brake, not a forecast: it
    does not tell how much a transfer gains.
    """
    if not isinstance(divergence, Real):
        raise ValueError("risk takes a divergence, one number: risk(divergence(Xs, Xt)).")
    if not (divergence == divergence and kappa > 0):
        raise ValueError(f"risk needs a divergence that is a number and kappa > 0; got {divergence} and {kappa}.")
    return measures.transfer_risk(divergence, kappa)


def read_pair(Xs: Any, Xt: Any) -> tuple[Matrix, Matrix]:
    for X in (Xs, Xt):
        reject_raw_texts(X)
    Xs, Xt = (
        check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name=name)
        for X, name in ((Xs, "Xs"), (Xt, "Xt"))
    )
    if Xs.shape[1] != Xt.shape[1]:
        raise ValueError(
            f"Xs and Xt must have the same columns; got {Xs.shape[1]} and {Xt.shape[1]}. "
            "Fit one vectorizer on the texts of both and transform each with it."
        )
    return Xs, Xt
