r"""Spectral classification: a classifier on eigenvectors of a graph whose labelled nodes are linked by their labels.

    form = "kamvar"    A_ij = 1 for labelled i, j of one class, 0 of different classes, else cos(x_i, x_j)           (1)
                       N = (A + d_max I - D) / d_max,   D = diag(A 1)                                                (2)
                       the k largest eigenvectors of N, rows scaled to unit length, a classifier on them
    form = "lambda0"   the k smallest eigenvectors of D^-1/2 (D - W + beta U U') D^-1/2, that is CDSC with lambda = 0

A differs from W = Z Z' by -Z_l Z_l' + sum_c 1_c 1_c' on the labelled rows: thin products, nothing of size n x n.

Paper: Kamvar, Klein and Manning, Spectral Learning, IJCAI 2003; "lambda0" is what Ling et al. 2008 call approximately
the same. We chose the numbers above. We had no copy of the first: the form is taken from papers that use it.

Departures
----------
- `degree_regularization` tau adds tau mean(d) / n to every similarity of (1) except those of labelled pairs; 0 is the
  paper. On CDSC's six newsgroup tasks (250 documents per class, five draws) the error is .24 with tau = 1 and the
  default k; Ling et al. report .23. "lambda0" has .084 with tau = 1 and k = 2.
- The classifier is logistic regression. According to Ling et al., the paper uses the single nearest neighbor:
  `classifier="nearest"`.
- k is the number of classes unless it is given.
- The k largest eigenvectors of N are the k smallest of D - A, since N = I - (D - A) / d_max. The eigenvalues in
  `state_.extension` are those of D - A, and a new document with the similarities w has the coordinates
  w'x / (w'1 - value): its own equation in (D - A) x = value x. Its similarity to itself is on both sides and cancels.
- The documents of a class are linked across sources in (1), which has no domains, and within each source in "lambda0".
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.neighbors import KNeighborsClassifier

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, at_least, choice, count, positive
from ..core.registry import register
from ..families.linear import START_C
from ..families.spectral import (
    Extension,
    Nodes,
    SpectralClassifierBase,
    cut_eigenvectors,
    divide,
    extend,
    make_spectrum,
    nodes,
)
from ..linalg import eigen
from ..linalg.laplacian import LabelledSimilarity, Similarity, additive_operator
from ..linalg.matrix import Array, Matrix


def kamvar_eigenvectors(g: Nodes, k: int, tau: float, rng: np.random.Generator) -> tuple[Similarity, eigen.Eigen]:
    """The similarity W and the k smallest eigenpairs of D - A, computed from N."""
    W = Similarity(g.X, tau)
    A = LabelledSimilarity(W, g.codes)  # (1)
    of_N = eigen.largest(additive_operator(A), min(k, len(g.codes)), rng=rng)  # (2)
    values = float(A.degree.max()) * (1 - of_N.values[::-1])
    return W, eigen.Eigen(values, of_N.vectors[:, ::-1], of_N.residuals[::-1])


def solve(
    domains: Domains,
    *,
    form: str,
    n_eigenvectors: int | None,
    must_link: float,
    degree_regularization: float,
    classifier: str,
    C: float,
    rng: np.random.Generator,
) -> Solution:
    """Embed and classify; the parameters are those of `SpectralClassifier`."""
    g = nodes(domains)
    k = n_eigenvectors or domains.n_classes
    if form == "kamvar":
        W, eigenpairs = kamvar_eigenvectors(g, k, degree_regularization, rng)
        x = eigenpairs.vectors
    else:
        W, eigenpairs, x = cut_eigenvectors(
            g, n_eigenvectors=k, beta=must_link, lam=0.0, tau=degree_regularization, rng=rng
        )
    F = KNeighborsClassifier(1) if classifier == "nearest" else None
    state = make_spectrum(W, g, eigenpairs.values, x, C, domains.dtype, classifier=F)
    return Solution(state, (float(eigenpairs.values.sum()),), 1, eigenpairs.converged)


@register
class SpectralClassifier(SpectralClassifierBase):
    """Spectral classification of a graph whose labelled documents are linked by their labels.

    Use it to compare with CDSC, which extends it.

    Parameters
    ----------
    form : {"kamvar", "lambda0"}, default="kamvar"
        "kamvar": similarities of labelled pairs set to 1 or 0, and additive normalization; "lambda0": must-link
        constraints and the normalized cut.
    n_eigenvectors : int, default=None
        Number of eigenvectors k; None is the number of classes. It is reduced to the number of documents if there are
        fewer.
    must_link : float, default=15.0
        Weight of the constraints of "lambda0", beta.
    degree_regularization : float, default=1.0
        Fraction of the mean degree added to the degree of every document, tau.
    classifier : {"logistic", "nearest"}, default="logistic"
        The classifier on the eigenvectors: logistic regression, or the class of the nearest labelled document. A model
        with the latter cannot be saved with `save`.
    C : float, default=10.0
        Of the default classifier: weight of the logistic loss against the squared norm of the weights.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.
    random_state : int, RandomState instance or None, default=None
        Seed of the start of the eigensolver.

    Attributes
    ----------
    state_ : Spectrum
        `vectors`, `extension`, `target` and `model`, as in `CDSC`.
        For the other attributes see `labelferry.core.classifier.TransductiveClassifier`.

    References
    ----------
    S. D. Kamvar, D. Klein and C. D. Manning. Spectral Learning. IJCAI 2003.

    Examples
    --------
    >>> from labelferry import SpectralClassifier
    >>> from labelferry import load_demo
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
        "classifier": choice("logistic", "nearest"),
        "C": positive(),
    }

    def __init__(
        self,
        form: str = "kamvar",
        *,
        n_eigenvectors: int | None = None,
        must_link: float = 15.0,
        degree_regularization: float = 1.0,
        classifier: str = "logistic",
        C: float = START_C,
        class_prior: str | ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.form = form
        self.n_eigenvectors = n_eigenvectors
        self.must_link = must_link
        self.degree_regularization = degree_regularization
        self.classifier = classifier
        self.C = C
        self.class_prior = class_prior
        self.random_state = random_state

    def _extend(self, X: Matrix, d: int) -> Array:
        if self.form == "lambda0":
            return extend(self.state_, X)
        extension: Extension = self.state_.extension
        wx, degree = extension.similarity_sums(X)
        return divide(wx, degree - extension.values, degree)
