"""Two measures of the distance between a target and a source, and the risk that follows from one of them.

They use documents only, never labels. See `labelferry.families.divergence` for the formulas and the paper.

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

from ..core.documents import range_of_blocks, reject_raw_texts
from ..core.sampling import MAX_FITTED
from ..families import divergence as measures
from ..linalg.matrix import Matrix, is_blocked, sample_blocks


def divergence(
    Xs: Any, Xt: Any, *, form: str = "corrected", theta: float = measures.SAME_MEANS, random_state: Any = 0
) -> float:
    """Clustering-based KL divergence of the target from the source, KL(target || source), in nats.

    Both domains are bisected together until their means agree in every cluster. Then the proportions of the clusters in
    the two domains are compared.

    Parameters
    ----------
    Xs, Xt : array, sparse matrix or Blocks of shape (n_documents, n_words)
        The documents of the source and of the target, with the same columns. Of blocks, at most 100,000 random
        documents of each are compared.
    form : {"corrected", "paper"}, default="corrected"
        "corrected" is zero for equal proportions. "paper" is Lemma 1 as printed, which is not zero if the samples
        differ in size.
    theta : float, default=0.1
        A cluster is not split if the cosine distance of the means of the two domains is below this.
    random_state : int, RandomState or None, default=0
        Seed of the initial values of the bisection.

    Returns
    -------
    divergence : float
        The divergence in nats, at least 0.

    Notes
    -----
    The value grows with the number of documents, since clusters get finer: compare only values of samples of similar
    size. `gap` depends much less on the size.
    """
    if form not in ("corrected", "paper"):
        raise ValueError(f"form must be 'corrected' or 'paper'; got {form!r}.")
    Xs, Xt = read_pair(Xs, Xt)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    Xs, Xt = (sample_blocks(X, MAX_FITTED)[1] for X in (Xs, Xt))
    return measures.clustered_kl(Xs, Xt, form=form, theta=theta, rng=rng)


def gap(Xs: Any, Xt: Any) -> float:
    """1 - cosine of the two mean documents, corrected for sampling noise: 0 for equal means, 1 for no common word.

    It depends less on the number of documents than `divergence`. With a small gap, transfer is likely to be safe: below
    .22, full transfer cost more than a point of purity on 2 of 16 tasks (benchmarks/rsp_tasks.py). A large gap means
    that the vocabularies differ; transfer can still work. The gap cannot detect classes that the source does not have.

    Parameters
    ----------
    Xs, Xt : array, sparse matrix or Blocks of shape (n_documents, n_words)
        The documents of the source and of the target, with the same columns.

    Returns
    -------
    gap : float
        The distance, from 0 to 1.
    """
    return measures.gap(*read_pair(Xs, Xt))


def risk(divergence: float, kappa: float = measures.DEFAULT_KAPPA) -> float:
    """Transfer risk in [0, 1], (6) of Shi et al. 2009: 1/2 if the divergence is kappa.

    The risk limits harmful transfer. It does not predict how much a transfer gains.

    Parameters
    ----------
    divergence : float
        See `divergence`.
    kappa : float, default=2.0
        The divergence at which the risk is 1/2. 2 is suitable for samples of about 500 documents per class; the paper
        has e^2.

    Returns
    -------
    risk : float
        The risk, from 0 to 1.
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
        X if is_blocked(X) else check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name=name)
        for X, name in ((Xs, "Xs"), (Xt, "Xt"))
    )
    if Xs.shape[1] != Xt.shape[1]:
        raise ValueError(
            f"Xs and Xt must have the same columns; got {Xs.shape[1]} and {Xt.shape[1]}. "
            "Fit one vectorizer on the texts of both and transform each with it."
        )
    for X, name in ((Xs, "Xs"), (Xt, "Xt")):
        if is_blocked(X):
            range_of_blocks(X, name)
    return Xs, Xt
