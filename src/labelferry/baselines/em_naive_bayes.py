r"""Naive Bayes by EM: the labels of the target are the hidden variables of a mixture of multinomials, one per class.

    maximize  sum_i log sum_c pi_c prod_w theta_wc^x_iw              target documents without a label
            + sum_i log     pi_y_i prod_w theta_w,y_i^x_iw           target documents whose label y_i is given
            + s sum_i log          prod_w theta_w,y_i^x_iw           source documents
            + alpha sum_wc log theta_wc  [ + sum_c log pi_c ]        Dirichlet priors                                (1)
    over      theta, pi >= 0,   theta'1 = 1,   pi'1 = 1

    x_iw  weight of word w in document i     theta  words x classes     pi  class proportions of the target
    s     weight of the source               alpha  smoothing           v_i  posterior of document i

    E step   v_ic proportional to pi_c prod_w theta_wc^x_iw                                                          (2)
    M step   theta_wc proportional to alpha + s S_wc + K_wc + sum_i x_iw v_ic                                        (3)
             pi_c proportional to 1 + k_c + sum_i v_ic, only if the prior is estimated                               (4)

S and K are the word counts per class of the source and of the labelled target documents, k the number of the latter.

Paper: Nigam, McCallum, Thrun and Mitchell, Text Classification from Labeled and Unlabeled Documents using EM, Machine
Learning 39, 2000. The equation numbers are ours. EM never lowers (1) (Dempster, Laird and Rubin 1977) as long as s is
constant.

Departures
----------
- The paper gives the unlabelled documents less weight, lambda in [0, 1], since they are many and the labelled few. Here
  the labelled ones come from another domain, so the source gets less weight, s. It is one family: s is lambda = 1 / s
  with the pseudo-counts alpha / s, and s = 1 is the paper's basic EM.
- `source_weight="annealed"` is not in the paper: s falls from 1 to 0, so that the source names the classes and the
  target alone determines their words (the six newsgroup tasks: .986 against .981).
- pi belongs to the target. The paper estimates it on all documents, also the labelled ones. The class proportions of a
  source are known, add a constant to (1) and would hide a shift of the classes.
- Words are those that occur in some document; empty columns get no pseudo-counts.
- By default pi is uniform and alpha 0.1, while the paper estimates pi and has alpha 1: the six newsgroup tasks give
  .981 against .980 (pi estimated) and .978 (alpha 1). x may be tf-idf.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import logsumexp, softmax

from ..core.domains import Domains
from ..core.iterate import Solution, iterate
from ..core.online import OnlineClassifier
from ..core.params import Rules, choice, count, positive, share
from ..core.proportions import class_proportions
from ..core.registry import register
from ..linalg.matrix import Array, Matrix, map_reduce
from ..linalg.thin import thin_product


class Mixture(NamedTuple):
    """The parameters of the mixture."""

    log_theta: Annotated[Array, "words x classes"]
    log_pi: Annotated[Array, "classes"]
    s: float  # weight of the source in the M step that led here
    words: Annotated[Array, "classes"] | None = None  # smoothed words per class: theta * words is the numerator of (3)
    documents: float | None = None  # pi * documents is the numerator of (4); both are None in earlier versions


class Problem(NamedTuple):
    """The data of (1)."""

    X: tuple[Matrix, ...]  # per target: the documents without a label
    x: Array  # sum_i x_i over all of them
    S: Array
    K: Array
    k: Array
    alpha: float
    estimate_pi: bool


def log_joint(X: Matrix, f: Mixture) -> Array:
    """log pi_c + sum_w x_iw log theta_wc, minus a term that is equal for all classes: sum_w x_iw mean_c log theta_wc.

    Long documents have joint probabilities of e^-100,000; in float32 the digits in which the classes differ would be
    lost. The term that is subtracted changes no posterior.
    """
    log_p: Array = thin_product(X, f.log_theta - f.log_theta.mean(axis=1, keepdims=True)) + f.log_pi
    return log_p


def posterior(X: Matrix, f: Mixture) -> Array:
    """v of all documents."""
    V: Array = map_reduce(posterior_of_rows, X, shared=(f,))[0]
    return V


def posterior_of_rows(X: Matrix, f: Mixture) -> tuple[Array, tuple[()]]:  # (2)
    """v of some documents."""
    return softmax(log_joint(X, f), axis=1), ()


def expected_counts(X: Matrix, f: Mixture) -> tuple[None, tuple[Array, Array]]:
    """The E step for some documents, and their share of the sums of the M step: X'V and V'1. V is not kept."""
    V, _ = posterior_of_rows(X, f)
    return None, (thin_product(X.T, V), V.sum(axis=0, dtype=np.float64))


def log_likelihood(X: Matrix, f: Mixture) -> tuple[None, tuple[float]]:
    """The first line of (1) for some documents, without the term that `log_joint` subtracts."""
    return None, (float(logsumexp(log_joint(X, f), axis=1).sum(dtype=np.float64)),)


def objective(f: Mixture, p: Problem) -> float:  # (1), negated
    log_theta, log_pi = f.log_theta.astype(np.float64), f.log_pi.astype(np.float64)
    unlabelled = sum(map_reduce(log_likelihood, X, shared=(f,))[1][0] for X in p.X)
    subtracted = p.x @ log_theta.mean(axis=1)  # by log_joint
    labelled = np.vdot(f.s * p.S + p.K, log_theta) + p.k @ log_pi
    priors = p.alpha * log_theta.sum() + (log_pi.sum() if p.estimate_pi else 0.0)
    return -float(unlabelled + subtracted + labelled + priors)


def log_word_proportions(N: Array, alpha: float) -> Array:
    """log theta for the word counts N, in the precision of N."""
    smoothed = N.astype(np.float64) + alpha
    log_theta: Array = (np.log(smoothed) - np.log(smoothed.sum(axis=0))).astype(N.dtype)  # (3)
    return log_theta


def smoothed_words(N: Array, alpha: float) -> Array:
    """The sum of alpha + N over the words."""
    total: Array = N.sum(axis=0, dtype=np.float64) + alpha * len(N)
    return total


def step(f: Mixture, p: Problem, decrease: float = 0.0) -> Mixture:
    """E step, then M step with the weight of the source lowered by `decrease`."""
    counts = [map_reduce(expected_counts, X, shared=(f,))[1] for X in p.X]
    s = max(0.0, f.s - decrease)
    N = s * p.S + p.K + sum(XtV for XtV, _ in counts)
    log_pi = f.log_pi
    n = 1.0 + p.k + sum(total for _, total in counts)
    if p.estimate_pi:
        log_pi = np.log(n / n.sum()).astype(log_pi.dtype)  # (4)
    return Mixture(log_word_proportions(N, p.alpha), log_pi, s, smoothed_words(N, p.alpha), float(n.sum()))


def absorb(f: Mixture, X: Matrix, estimate_pi: bool) -> Mixture:
    """The mixture with later documents of the target: (2) for them, and the numerators of (3) and (4) with their sums.

    A step of incremental EM (Neal and Hinton, A View of the EM Algorithm that Justifies Incremental, Sparse, and other
    Variants, 1998): it raises the lower bound of (1) that the posteriors of all documents so far define.
    """
    if f.words is None or f.documents is None:
        raise ValueError("the model was saved by a version that kept no counts, so it cannot be updated. Fit it again.")
    V = posterior(X, f)
    new = np.asarray(X.T @ V).astype(np.float64)
    N = np.exp(f.log_theta.astype(np.float64)) * f.words + new
    words = f.words + new.sum(axis=0)
    n = np.exp(f.log_pi.astype(np.float64)) * f.documents + V.sum(axis=0, dtype=np.float64)
    return f._replace(
        log_theta=(np.log(N) - np.log(words)).astype(f.log_theta.dtype),
        log_pi=np.log(n / n.sum()).astype(f.log_pi.dtype) if estimate_pi else f.log_pi,
        words=words,
        documents=float(n.sum()),
    )


def pose(domains: Domains, alpha: float, estimate_pi: bool) -> Problem:
    """The problem for the documents of all domains."""
    zeros = np.zeros((domains.n_words, domains.n_classes), dtype=domains.dtype)
    counts = [d.X.T @ domains.one_hot(d) if d.known.any() else zeros for d in domains]
    blocks = tuple(d.X if not d.known.any() else d.X[~d.known] for d in domains.targets if not d.known.all())
    return Problem(
        blocks,
        sum((X.T @ np.ones(X.shape[0], X.dtype) for X in blocks), zeros[:, 0]),
        sum((N for N, d in zip(counts, domains, strict=True) if not d.is_target), zeros),
        sum((N for N, d in zip(counts, domains, strict=True) if d.is_target), zeros),
        sum(domains.one_hot(d).sum(axis=0) for d in domains.targets),
        alpha,
        estimate_pi,
    )


def start(p: Problem, pi: Array, s: float) -> Mixture:
    """Naive Bayes trained on the labelled documents, all with the same weight."""
    N = p.S + p.K
    words, n = smoothed_words(N, p.alpha), float(len(p.k) + p.k.sum())
    return Mixture(log_word_proportions(N, p.alpha), np.log(pi).astype(N.dtype), s, words, n)


def solve(
    domains: Domains,
    *,
    smoothing: float,
    class_prior: Any,
    source_weight: float | str,
    anneal_iter: int,
    max_iter: int,
    tol: float,
    rng: np.random.Generator,
) -> Solution:
    estimate_pi = isinstance(class_prior, str) and class_prior == "estimate"
    pi = class_proportions("uniform" if estimate_pi else class_prior, domains)
    p = pose(domains, smoothing, estimate_pi)
    value = partial(objective, p=p)
    s = 1.0 if isinstance(source_weight, str) else float(source_weight)
    if source_weight != "annealed":
        return iterate(partial(step, p=p), value, start(p, pi, s), max_iter=max_iter, tol=tol)
    if max_iter < anneal_iter:
        raise ValueError(
            f"max_iter must be at least anneal_iter={anneal_iter}; got {max_iter}. The weight of the source would not "
            "reach 0: raise max_iter or lower anneal_iter."
        )
    # Two loops: while s falls, the objective changes in each step, so that it cannot show convergence.
    annealing = iterate(
        partial(step, p=p, decrease=1 / anneal_iter), value, start(p, pi, s), max_iter=anneal_iter, tol=0
    )
    annealed = annealing.state._replace(s=0.0)  # 1 - 20 / 20 is 0 up to rounding
    final = iterate(partial(step, p=p), value, annealed, max_iter=max_iter - anneal_iter, tol=tol)
    return Solution(
        final.state, annealing.history + final.history[1:], annealing.n_iter + final.n_iter, final.converged
    )


@register
class EMNaiveBayes(OnlineClassifier):
    """Multinomial naive Bayes with the labels of the target estimated by EM.

    Use it if the classes are topics; not for opinions.

    It is accurate if the classes are clusters of the target (topics). If they are not (sentiment), EM drifts to the
    topics and becomes less accurate than the source-only classifier.

    Parameters
    ----------
    smoothing : float, default=0.1
        alpha in (1), added to the count of each word in each class (Lidstone).
    class_prior : {"uniform", "source", "estimate"} or array of shape (n_classes,), default="uniform"
        Class proportions of the target, in the order of `classes_`. "source" takes those of the given labels.
        "estimate" estimates them by EM on the documents of the target: the estimate follows a shift of the classes if
        they are clear clusters, and drifts to a single class if they are not.
    source_weight : float, "constant" or "annealed", default="constant"
        s in (1), from 0 to 1. "constant" is 1; "annealed" falls in equal steps from 1 to 0 over `anneal_iter`
        iterations and stays 0. The paper's lambda, the weight of the unlabelled documents, is 1 / s. The start is
        always naive Bayes on the labelled documents. Labelled target documents always have the weight 1.
    anneal_iter : int, default=20
        Number of iterations until an annealed weight is 0.
    max_iter : int, default=100
        Largest number of iterations, including those of the annealing.
    tol : float, default=1e-6
        Stop if ten iterations lower the objective by less than this fraction of its first value, never while the weight
        falls; 0 runs all iterations.

    Attributes
    ----------
    state_ : Mixture
        log theta, log pi, s, and the sums that `partial_fit` needs. The other attributes are those of
        `TransductiveClassifier`.
    class_prior_ : array of shape (n_classes,)
        pi.
    objective_history_ : array
        Minus (1), with the s of each iteration.

    References
    ----------
    K. Nigam, A. McCallum, S. Thrun and T. Mitchell. Text Classification from Labeled and Unlabeled Documents using EM.
    Machine Learning 39, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from labelferry.baselines import EMNaiveBayes
    >>> Xs = np.array([[2, 1, 0, 0, 0, 0], [1, 2, 0, 0, 0, 0], [0, 0, 2, 1, 0, 0], [0, 0, 1, 2, 0, 0]])
    >>> Xt = np.array([[0, 1, 0, 0, 3, 0], [0, 0, 0, 0, 2, 0], [0, 0, 0, 1, 0, 3], [0, 0, 0, 0, 0, 2]])
    >>> EMNaiveBayes().transfer(Xs, ["sport", "sport", "trade", "trade"], Xt).tolist()
    ['sport', 'sport', 'trade', 'trade']
    """

    State = Mixture
    solve = staticmethod(solve)
    matches_prior: ClassVar[bool] = False
    non_negative: ClassVar[bool] = True
    takes_blocks: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Rules] = {
        "smoothing": positive(),
        "class_prior": [*choice("uniform", "source", "estimate"), "array-like"],
        "source_weight": [*choice("constant", "annealed"), *share()],
        "anneal_iter": count(),
    }

    def __init__(
        self,
        smoothing: float = 0.1,
        *,
        class_prior: Any = "uniform",
        source_weight: float | str = "constant",
        anneal_iter: int = 20,
        max_iter: int = 100,
        tol: float = 1e-6,
    ) -> None:
        self.smoothing = smoothing
        self.class_prior = class_prior
        self.source_weight = source_weight
        self.anneal_iter = anneal_iter
        self.max_iter = max_iter
        self.tol = tol

    def _fold_in(self, X: Matrix, d: int) -> Array:
        return posterior(X, self.state_)

    def _absorb(self, X: Matrix, d: int) -> None:
        self.state_ = absorb(self.state_, X, isinstance(self.class_prior, str) and self.class_prior == "estimate")
        self.class_prior_ = np.exp(self.state_.log_pi).astype(self.class_prior_.dtype)

    def _complete(self, state: Mixture, absent: Array) -> Mixture:
        assert state.words is not None
        without_counts = (np.log(self.smoothing) - np.log(state.words)).astype(state.log_theta.dtype)  # (3)
        return state._replace(log_theta=np.where(absent[:, None], without_counts, state.log_theta))

    def _prior(self, domains: Domains) -> Array:
        mixture: Mixture = self.state_
        return np.exp(mixture.log_pi)
