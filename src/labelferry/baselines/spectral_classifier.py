r"""Spectral classification: eigenvectors of a graph whose labelled nodes are linked by their labels, then a classifier.

    form = "kamvar"    A_ij = 1 for labelled i, j of one class, 0 of different classes, else cos(x_i, x_j)           (1)
                       N = (A + d_max I - D) / d_max,   D = diag(A 1)                                                (2)
                       the k largest eigenvectors of N, rows to unit length, a classifier on them
    form = "lambda0"   the k smallest eigenvectors of D^-1/2 (D - W + beta U U') D^-1/2, that is CDSC with lambda = 0

A differs from W = Z Z' by -Z_l Z_l' + sum_c 1_c 1_c' on the labelled rows: thin products, nothing of size n x n.

Paper: Kamvar, Klein and Manning, Spectral Learning, IJCAI 2003; "lambda0" is what Ling et al. 2008 call approximately
the same. The numbers above are ours. We had no copy of the first: the form is as it is described where others use it.

Departures
----------
- `degree_regularization` tau adds tau mean(d) / n to every similarity of (1) but those of labelled pairs; 0 is the
  paper. On CDSC's six newsgroup tasks (250 documents a class, five draws) the error is .24 with tau = 1 and the default
  k; Ling et al. report .23. "lambda0" has .084 with tau = 1 and k = 2.
- The classifier is logistic regression. Ling et al. say that the paper has the single nearest neighbour.
- k is the number of classes where it is not given.
- The k largest eigenvectors of N are the k smallest of D - A, since N = I - (D - A) / d_max. `state_.values` are those
  of D - A, and a new document with the similarities w has the coordinates w'x / (w'1 - value): its own equation in
  (D - A) x = value x. Its similarity to itself stands on both sides and cancels.
- The documents of a class are linked across sources in (1), which knows no domains, and within each in "lambda0".
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import CLASS_PRIOR, SEED, Rules, at_least, choice, count, positive
from ..core.registry import register
from ..families.linear import START_C
from ..families.spectral import Nodes, SpectralShell, cut, describe, divide, extend, nodes, similarities
from ..linalg import eigen
from ..linalg.laplacian import LabelledSimilarity, Similarity, additive_operator
from ..linalg.matrix import Array, Matrix


def kamvar(g: Nodes, k: int, tau: float, rng: np.random.Generator) -> tuple[Similarity, eigen.Eigen]:
    """The k smallest eigenpairs of D - A, by way of N."""
    W = Similarity(g.X, tau)
    A = LabelledSimilarity(W, g.codes)  # (1)
    found = eigen.largest(additive_operator(A), min(k, len(g.codes)), rng=rng)  # (2)
    values = float(A.degree.max()) * (1 - found.values[::-1])
    return W, eigen.Eigen(values, found.vectors[:, ::-1], found.residuals[::-1])


def solve(
    domains: Domains,
    *,
    form: str,
    n_eigenvectors: int | None,
    must_link: float,
    degree_regularization: float,
    C: float,
    rng: np.random.Generator,
) -> Solution:
    g = nodes(domains)
    k = n_eigenvectors or domains.n_classes
    if form == "kamvar":
        W, found = kamvar(g, k, degree_regularization, rng)
        x = found.vectors
    else:
        W, found, x = cut(g, n_eigenvectors=k, beta=must_link, lam=0.0, tau=degree_regularization, rng=rng)
    state = describe(W, g, found.values, x, C, domains.dtype)
    return Solution(state, (float(found.values.sum()),), 1, found.converged)


@register
class SpectralClassifier(SpectralShell):
    """Spectral classification of a graph whose labelled documents are linked by their labels.

    Parameters
    ----------
    form : "kamvar", similarities of labelled pairs set to 1 or 0 and additive normalisation; "lambda0", must-link
        constraints and the normalised cut.
    n_eigenvectors : k; None is the number of classes. More than there are documents is cut down to these.
    must_link : beta, weight of the constraints of "lambda0".
    degree_regularization : tau, share of the mean degree added to the degree of every document.
    C : weight of the logistic loss against the squared norm of the weights.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.
    random_state : seed of the eigensolver's start.

    Attributes
    ----------
    state_ : Spectrum(values, vectors, ...), as of CDSC. The others are those of every estimator.

    References
    ----------
    S. D. Kamvar, D. Klein and C. D. Manning. Spectral Learning. IJCAI 2003.

    Examples
    --------
    >>> from labelferry import SpectralClassifier
    >>> from labelferry.datasets import load_demo
    >>> demo = load_demo()
    >>> y_new = SpectralClassifier(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.8
    True
    """

    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = {
        "form": choice("kamvar", "lambda0"),
        "n_eigenvectors": [*count(), None],
        "must_link": at_least(0),
        "degree_regularization": at_least(0),
        "C": positive(),
        "class_prior": CLASS_PRIOR,
        "random_state": SEED,
    }

    def __init__(
        self,
        form="kamvar",
        *,
        n_eigenvectors=None,
        must_link=15.0,
        degree_regularization=1.0,
        C=START_C,
        class_prior=None,
        random_state=None,
    ):
        self.form = form
        self.n_eigenvectors = n_eigenvectors
        self.must_link = must_link
        self.degree_regularization = degree_regularization
        self.C = C
        self.class_prior = class_prior
        self.random_state = random_state

    def _extend(self, X: Matrix, d: int) -> Array:
        if self.form == "lambda0":
            return extend(self.state_, X)
        wx, degree = similarities(self.state_, X)
        return divide(wx, degree - self.state_.values, degree)
