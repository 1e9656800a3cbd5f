r"""Topical correspondence learning: every topic has common words and, in each domain, domain-specific words.

    minimize  1/2 sum_d || X_d' - P_d H V_d' ||^2,   P_d = alpha U + (1 - alpha) W_d,                                (4)
    over      U, W_d, H, V_d >= 0,   U'1 = 1,  W_d'1 = 1,  V_d 1 = 1

    X_d  documents x words     U    words x topics, shared       H    topics x classes, shared
    alpha  weight of U         W_d  words x topics of domain d   V_d  documents x classes; for a source, the labels

U and W_d share the same H. This ties the domain-specific words of a topic to its common words, and through these to the
other domains.

Paper: Chen and Zhang, Domain Adaptation with Topical Correspondence Learning, IJCAI 2013. Equation numbers are those of
the paper: (5)-(8) update U, W_d, V_d and H in turn. Theorem 1: where these updates converge, the KKT conditions of (4)
hold; its proof drops the multipliers of the sums, so it is tested for the updates without normalization. Theorem 2: the
updates never increase (4).

Departures
----------
- `weighting="words"` is not in the paper, which leaves the weighting of X open; `"none"` is X as given. "words" divides
  every word by the root of its sum and normalizes the rows again: a second idf.
- alpha is the weight of the common words, as in (4). The paper's section on parameters calls it the weight of the
  domain-specific words and recommends 0.1; its experiments choose alpha by cross-validation on the source, without
  saying how. The default is .7 for all tasks. Mean accuracy on the nine tasks of the paper's Table 2 (tf-idf with
  log(N/df), seed 0; paper 90.7), on 18 transfers of six corpora that chose nothing (table `untuned` of the bench, three
  draws) and on the twelve Amazon pairs (seed 0). The columns are `labelferry bench table tcl`, `untuned` and `amazon`
  with `--methods "TCL(common_weight=0.5),TCL,TCL(common_weight=0.9)"`:

                               Table 2: six newsgroup, three Reuters    `untuned`    Amazon
      words   alpha = .5           90.3           97.7  75.4                62.9         -
              alpha = .7           90.6           97.7  76.4                64.2         77.8
              alpha = .9           90.0           97.2  75.6                60.0         75.5
      none    alpha = .5           89.6           96.8  75.2                60.6         -
              alpha = .7           89.8           97.0  75.6                62.5         -
              alpha = .9           89.2           96.4  74.9                57.0         -

  .7 with "words" was chosen on Table 2, where newsgroups alone and Reuters alone choose it as well. No alpha is best on
  every task: people vs places and comp vs sci are better with .5 than with .9, orgs vs places is the other way round.
- `common_weight="cv"` needs two parts of the source that differ. With random halves alpha = 1 was best on all tasks
  measured: the halves do not differ, so all words are common. Therefore the source is divided into halves with
  different topics.
- U and W_d start at random. With alpha = .9 the start decides on sentiment: Amazon electronics to dvd has .767, .631,
  .795 and .692 with the seeds 0 to 3. With alpha = .7 it does not: over six starts the standard deviation is .002 to
  .006 on the four pairs from electronics and kitchen to books and dvd (electronics to dvd .799), and the start with the
  lowest objective of six (`n_init`) is not better: .742 on the four, one start .747 (`python -m benchmarks.starts
  amazon 6`). Starts near the classes (mixtures of their mean documents) vary less with alpha = .9 too, and are worse:
  .61 to .69 on that pair.
- V_t starts with the probabilities of a logistic regression with C = 10. The paper does not state its C; for its
  baselines it chooses C by cross-validation (`C="cv"`, part of the row as published). On Table 2 this has 89.1 as
  published, C = 10 has 89.3.
- H starts with equal entries; the paper does not state its start. With random entries the predictions depend on which
  class comes first, that is, on the names of the classes.
- Theorem 2 is about (5)-(8) without the normalizations. With them the objective may increase, and their position
  matters: the paper normalizes after all of (5)-(8), so H was computed before the columns of U and W_d were normalized
  and does not fit them. Normalizing each factor right after its update costs nothing and is better (mean of the six
  newsgroup tasks with `weighting="none"`, alpha = .9 and scikit-learn's idf: .956, against .950). It is the default;
  `normalize="cycle"` is the order of the paper.
- The update (7) is applied only to documents without a label. In the row of a labelled document only one entry is not
  zero, so (7) would change only the sum of the row, which the normalization sets to 1 again. With `normalize="cycle"`,
  (8) comes before the normalization and would use rows with another sum. The paper states that the labels of a source
  are fixed, so they are fixed here too.
- `class_prior` is not in the paper. If it is given, the rows of a target's V are matched to the class proportions
  after (7).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.online import OnlineClassifier
from ..core.params import Rules, choice, positive, share
from ..core.registry import register
from ..families.linear import START_C
from ..families.pseudo_transfer import pseudo_transfers
from ..families.topics import TopicRow, topics_table
from ..families.trifactorization import (
    FactorizationProblem,
    TriFactorization,
    even_association,
    fold_in,
    problem_of_domains,
    random_factor,
    solve_trifactorization,
    update_documents,
)
from ..linalg.matrix import Array, Matrix, fill_rows, take_columns
from ..linalg.multiplicative import (
    add_up,
    gram,
    normalize_columns_l1,
    normalize_rows_l1,
    scale,
    sq_residual,
    tall_product,
    tall_sums,
    update_tall,
)
from ..linalg.normalize import normalize_rows_l2, scale_columns
from ..linalg.thin import thin_product
from ..linalg.threads import each_quickly

DEFAULT_ALPHA = 0.7
GRID = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)  # alpha, for cross-validation

logger = logging.getLogger(__name__)


class Factors(NamedTuple):
    """The factors of (4); W, V and XV have one entry per domain."""

    U: Annotated[Array, "words x topics >= 0"]
    W: tuple[Annotated[Array, "words x topics >= 0"], ...]
    H: Annotated[Array, "topics x classes >= 0"]
    V: tuple[Annotated[Array, "documents[d] x classes >= 0"], ...]
    XV: tuple[Annotated[Array, "words x classes >= 0"], ...]  # X_d' V_d


class Fitted(NamedTuple):
    """The factors, the alpha that they were fitted with, and the weights of the words (ones for `weighting="none"`)."""

    factors: Factors
    alpha: float
    word_weights: Annotated[Array, "words > 0"]
    later: Annotated[Array, "domains x classes x classes"] | None = None  # V_d'V_d of the documents of `partial_fit`


def mix(alpha: float, U: Array, Wd: Array) -> Array:
    """P_d, the words of domain d in each topic; it is only formed for a few rows at a time."""
    return alpha * U + (1 - alpha) * Wd


def mixes(alpha: float, UH: Array, WH: Iterable[Array]) -> list[Array]:
    """B_d = P_d H for every domain, words x classes."""
    return [mix(alpha, UH, WHd) for WHd in WH]


def objective(f: Factors, p: FactorizationProblem, alpha: float) -> float:  # (4)
    """Half the squared residual, summed over the domains."""
    B = mixes(alpha, f.U @ f.H, (Wd @ f.H for Wd in f.W))
    return 0.5 * sum(sq_residual(Xd, Bd, Vd, XVd) for Xd, Bd, Vd, XVd in zip(p.X, B, f.V, f.XV, strict=True))


def step(f: Factors, p: FactorizationProblem, alpha: float, normalize: str = "update") -> Factors:
    """One cycle of (5)-(8).

    `normalize`: when factors are normalized: after each update, after the cycle, or never (the setting of Theorem
    2).
    """
    U, W, H, V, XV = f
    at_once = normalize == "update"
    U, W, B = update_words(U, W, H, XV, [gram(Vd) for Vd in V], alpha, normalize=at_once)  # (5), (6)
    V, XV = update_documents(V, p, B, normalize=at_once)  # (7)
    H = update_topics(U, W, H, B, XV, [gram(Vd) for Vd in V], alpha)  # (8)
    if normalize == "cycle":
        U, W = normalize_columns_l1(U), tuple(normalize_columns_l1(Wd) for Wd in W)
        V = p.update_unknown(V, lambda d: normalize_rows_l1(V[d]))
        XV = p.words_by_class(V)
    return Factors(U, W, H, V, XV)


def update_words(
    U: Array,
    W: Sequence[Array],
    H: Array,
    XV: Sequence[Array],
    VtV: Sequence[Array],
    alpha: float,
    *,
    normalize: bool,
) -> tuple[Array, tuple[Array, ...], list[Array]]:
    """U by (5) and every W_d by (6), from the sums X_d'V_d and V_d'V_d; and the new B_d = P_d H."""
    UH, *WH = each_quickly(tall_product, [U, *W], [H] * (1 + len(W)))
    U, UH = update_tall(U, add_up(XV), add_up(expected(mixes(alpha, UH, WH), VtV)), H, normalize=normalize)  # (5)
    new = [
        update_tall(Wd, XVd, Ed, H, normalize=normalize)  # (6)
        for Wd, XVd, Ed in zip(W, XV, expected(mixes(alpha, UH, WH), VtV), strict=True)
    ]
    return U, tuple(Wd for Wd, _ in new), mixes(alpha, UH, [WHd for _, WHd in new])


def update_topics(
    U: Array,
    W: Sequence[Array],
    H: Array,
    B: Sequence[Array],
    XV: Sequence[Array],
    VtV: Sequence[Array],
    alpha: float,
) -> Array:
    """H by (8)."""
    return scale(H, *topic_sums(alpha, U, W, XV, expected(B, VtV)))


def expected(B: Iterable[Array], VtV: Iterable[Array]) -> list[Array]:
    """B_d V_d'V_d for every domain, words x classes, B_d = P_d H: what the model has instead of X_d' V_d.

    (5), (6) and (8) are written with these products, so that topics meet topics nowhere: with c classes and k topics an
    update costs 4 c operations per entry of U or W_d, in the paper's order 2 k per domain.
    """
    return [tall_product(Bd, VtVd) for Bd, VtVd in zip(B, VtV, strict=True)]


def topic_sums(alpha: float, U: Array, W: Sequence[Array], *both: Sequence[Array]) -> list[Array]:
    """sum_d P_d' A_d, topics x classes, for each of the sequences A (one words x classes array per domain)."""
    common = tall_sums(U, *map(add_up, both))
    own = [tall_sums(Wd, *A) for Wd, *A in zip(W, *both, strict=True)]
    return [mix(alpha, UA, add_up(WA)) for UA, WA in zip(common, zip(*own, strict=True), strict=True)]


def absorb(fitted: Fitted, X: Matrix, d: int, normalize: str) -> Fitted:
    """The model with later documents X of domain d (weighted): their V by (7), B fixed; then (5), (6) and (8) once.

    The updates need X'V and V'V only, sums over all documents so far. The V of earlier documents do not change.
    """
    (U, W, H, V, XV), alpha = fitted.factors, fitted.alpha
    later = np.zeros((len(V), len(H.T), len(H.T)), dtype=H.dtype) if fitted.later is None else fitted.later.copy()
    new = fold_in(X, mix(alpha, U @ H, W[d] @ H)).astype(H.dtype)
    later[d] += gram(new)
    XV = tuple(XVi + thin_product(X.T, new).astype(H.dtype) if i == d else XVi for i, XVi in enumerate(XV))
    VtV = [gram(Vi) + more for Vi, more in zip(V, later, strict=True)]
    U, W = with_new_words(U, add_up(XV)), tuple(with_new_words(Wi, XVi) for Wi, XVi in zip(W, XV, strict=True))
    U, W, B = update_words(U, W, H, XV, VtV, alpha, normalize=normalize == "update")
    H = update_topics(U, W, H, B, XV, VtV, alpha)
    if normalize == "cycle":
        U, W = normalize_columns_l1(U), tuple(normalize_columns_l1(Wd) for Wd in W)
    return fitted._replace(factors=Factors(U, W, H, V, XV), later=later)


def with_new_words(A: Array, XV: Array) -> Array:
    """U or W_d in which words that occur now for the first time have the mean of the start, the same in all topics.

    Words that did not occur have zeros, which no multiplicative update would change.
    """
    new = (XV.sum(axis=1) > 0) & ~A.any(axis=1)
    return np.where(new[:, None], np.asarray(1 / len(A), dtype=A.dtype), A) if new.any() else A


def start(p: FactorizationProblem, n_topics: int, rng: np.random.Generator) -> Factors:
    """Random U and W_d, even H; V from the labels and, for the other documents, logistic regression (section 3.3)."""
    n_words, n_classes = p.XV[0].shape
    draw = partial(random_factor, rng, dtype=p.V[0].dtype)
    U, *W = (normalize_columns_l1(draw(n_words, n_topics)) for _ in range(1 + len(p.V)))
    return Factors(U, tuple(W), even_association(n_topics, n_classes, p.V[0].dtype), p.V, p.XV)


def solve(
    domains: Domains,
    *,
    n_topics: int,
    common_weight: float | str,
    weighting: str,
    C: float | str,
    rng: np.random.Generator,
    **settings: Any,
) -> Solution:
    """Fit the factors; the parameters are those of `TCL`."""
    if isinstance(common_weight, str):
        common_weight = choose_alpha(domains, weighting, C, n_topics=n_topics, **settings)
    alpha = float(common_weight)
    p = weighted_problem(domains, weighting, C)
    occurs: Array = np.asarray(add_up(p.XV).any(axis=1))  # the first update sets all other words to zero
    best = solve_alpha(of_words(p, occurs), alpha, n_topics=n_topics, rng=rng, **settings)
    weights = word_weights(domains.X) if weighting == "words" else np.ones(domains.n_words, dtype=domains.dtype)
    return best._replace(state=Fitted(all_words(best.state, occurs), alpha, weights))


def of_words(p: FactorizationProblem, words: Array) -> FactorizationProblem:
    """The problem with these words only."""
    if words.all():
        return p
    return p._replace(X=tuple(take_columns(Xd, words) for Xd in p.X), XV=tuple(XVd[words] for XVd in p.XV))


def all_words(f: Factors, words: Array) -> Factors:
    """The factors with rows of zeros for all words but these."""
    U, *W = (fill_rows(A, words) for A in (f.U, *f.W))
    return f._replace(U=U, W=tuple(W), XV=tuple(fill_rows(XVd, words) for XVd in f.XV))


def word_weights(X: Sequence[Matrix]) -> Array:
    """One over the root of the sum of each column over all domains; 1 for a word that does not occur."""
    total = np.asarray(add_up([np.asarray(Xd.T @ np.ones(Xd.shape[0], dtype=Xd.dtype)) for Xd in X]))
    weights: Array = np.divide(1, np.sqrt(total), out=np.ones_like(total), where=total > 0)
    return weights


def weigh(X: Matrix, weights: Array) -> Matrix:
    """Columns multiplied by the weights, rows of unit length."""
    weighted: Matrix = normalize_rows_l2(scale_columns(X, weights))
    return weighted


def weighted_problem(domains: Domains, weighting: str, C: float | str) -> FactorizationProblem:
    """The problem with weighted words, or with X as it is; the logistic regression always uses X as it is."""
    if weighting == "none":
        return problem_of_domains(domains, C=C)
    weights = word_weights(domains.X)
    return problem_of_domains(domains, [weigh(Xd, weights) for Xd in domains.X], C)


def solve_alpha(
    p: FactorizationProblem,
    alpha: float,
    *,
    n_topics: int,
    normalize: str,
    max_iter: int,
    tol: float,
    n_init: int,
    rng: np.random.Generator,
) -> Solution:
    """Solve (4) for one alpha; the state is a Factors."""
    return solve_trifactorization(
        p,
        partial(start, n_topics=n_topics, rng=rng),
        partial(step, alpha=alpha, normalize=normalize),
        partial(objective, alpha=alpha),
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )


def choose_alpha(domains: Domains, weighting: str, C: float | str, **settings: Any) -> float:
    """The alpha of `GRID` with the best mean accuracy over `pseudo_transfers`; the largest if several are best.

    All fits have the same seed, which is not that of the estimator.
    """
    transfers = pseudo_transfers(domains)
    if not transfers:
        return DEFAULT_ALPHA  # a class has too few documents
    problems = [weighted_problem(transfer.domains, weighting, C) for transfer in transfers]

    def accuracy(alpha: float) -> float:
        solutions = (solve_alpha(p, alpha, rng=np.random.default_rng(0), **settings) for p in problems)
        return float(
            np.mean(
                [(s.state.V[-1].argmax(axis=1) == t.codes).mean() for s, t in zip(solutions, transfers, strict=True)]
            )
        )

    accuracies = {alpha: accuracy(alpha) for alpha in GRID}
    best = max(GRID, key=lambda alpha: (accuracies[alpha], alpha))
    logger.info("alpha=%g by cross-validation, accuracy %.3f", best, accuracies[best])
    return best


@register
class TCL(OnlineClassifier, TriFactorization):
    """Topical correspondence learning: topics of common and domain-specific words.

    Use it if the classes are topics, and to read the topics that connect the domains.

    Parameters
    ----------
    n_topics : int, default=10
        Number of topics, k in the paper.
    common_weight : float or "cv", default=0.7
        Weight of the common words, alpha in equation (4) of the paper, from 0 (domain-specific words only) to 1 (common
        words only). "cv" chooses it from 0, .1, .3, .5, .7, .9 and 1 with the labels of the sources; it takes about
        eight times as long. With several sources each source is the target in turn; a single source is divided into two
        halves with different topics (see `labelferry.families.pseudo_transfer`).
    weighting : {"words", "none"}, default="words"
        "words" divides each column of X by the root of its sum over all domains, then each row by its length, so that
        frequent words do not dominate the squared residual; "none" uses X as it is, as in the paper.
    normalize : {"update", "cycle"}, default="update"
        "update" normalizes each factor right after its update; "cycle" normalizes all factors after all four were
        updated, as in the paper.
    C : float or "cv", default=10.0
        C of the logistic regression that V of the new documents starts with. "cv" chooses it from 0.1, 1, 10 and 100
        by cross-validation, as `SourceLR` does.
    max_iter : int, default=100
        Largest number of iterations; each updates every factor once.
    tol : float, default=0.0
        Stop if the objective changes by less than `tol` times its first value within ten iterations; 0 runs all
        iterations.
    n_init : int, default=1
        Number of starts with different random topics; the solution with the lowest objective is kept.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.
    random_state : int, RandomState instance or None, default=None
        Seed of the random topics.

    Attributes
    ----------
    state_ : Fitted
        `state_.factors`: U (words x topics, shared by all domains), H (topics x classes), and one entry per domain, in
        the order of `domain_names_`, of W (words x topics), V (documents x classes) and XV (X' V). `state_.alpha`: the
        common weight. `state_.word_weights`: the number that each column of X was multiplied by; U and W describe X
        after this weighting. `state_.later`: V'V of the documents of `partial_fit`; XV has their sums too. For the
        other attributes see `labelferry.core.classifier.TransductiveClassifier`.

    References
    ----------
    Z. Chen and W. Zhang. Domain Adaptation with Topical Correspondence Learning. IJCAI 2013.

    Examples
    --------
    >>> from labelferry import TCL
    >>> from labelferry import load_demo
    >>> demo = load_demo()
    >>> y_new = TCL(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = Fitted
    ignores_scale = "all"
    solve = staticmethod(solve)
    takes_blocks: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Rules] = {
        **TriFactorization._parameter_constraints,
        "common_weight": [*share(), *choice("cv")],
        "weighting": choice("words", "none"),
        "normalize": choice("update", "cycle"),
        "C": [*choice("cv"), *positive()],
    }

    def __init__(
        self,
        n_topics: int = 10,
        *,
        common_weight: float | str = DEFAULT_ALPHA,
        weighting: str = "words",
        normalize: str = "update",
        C: float | str = START_C,
        max_iter: int = 100,
        tol: float = 0.0,
        n_init: int = 1,
        class_prior: str | ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.common_weight = common_weight
        self.weighting = weighting
        self.normalize = normalize
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def topics_table(self, feature_names: ArrayLike, n_words: int = 8, *, shown: Array | None = None) -> list[TopicRow]:
        """Describe every topic by its words with the largest weights.

        Parameters
        ----------
        feature_names : array of shape (n_words,)
            The word of every column of X.
        n_words : int, default=8
            Number of words per list.
        shown : array of bool, shape (n_words,), default=None
            Words that may be listed; None: all.

        Returns
        -------
        rows : list of dict
            One dict per topic: `topic` (its number), `class` (the class with the largest weight in its row of H),
            `lean` (the share of that weight in the row), `common` (common words) and `domains` (the words of each
            domain).
        """
        f: Factors = self.state_.factors
        weights = self.state_.word_weights[:, None]
        return topics_table(
            f.U / weights,
            [Wd / weights for Wd in f.W],
            f.H,
            classes=self.classes_,
            domain_names=self.domain_names_,
            feature_names=feature_names,
            n_words=n_words,
            shown=shown,
        )

    def _complete(self, state: Fitted, absent: Array) -> Fitted:
        return state._replace(word_weights=np.where(absent, 1, state.word_weights).astype(state.word_weights.dtype))

    def _document_factors(self) -> tuple[Array, ...]:
        f: Factors = self.state_.factors
        return f.V

    def _weighted(self, X: Matrix) -> Matrix:
        return X if (self.state_.word_weights == 1).all() else weigh(X, self.state_.word_weights)

    def _fold_in(self, X: Matrix, d: int) -> Array:
        return super()._fold_in(self._weighted(X), d)

    def _absorb(self, X: Matrix, d: int) -> None:
        self.state_ = absorb(self.state_, self._weighted(X), d, self.normalize)

    def _class_profiles(self, d: int) -> Array:
        f: Factors = self.state_.factors
        return mix(self.state_.alpha, f.U @ f.H, f.W[d] @ f.H)
