r"""Graph co-regularized tri-factorization: labels are smooth over similar documents, topics over similar words.

    minimize  sum_d || X_d' - U_d H V_d' ||^2 + lambda tr(U_d' L^u_d U_d) + gamma tr(V_d' L^v_d V_d),  L = D - W,    (7)
    over      U_d, H, V_d >= 0,   U_d'1 = 1,  V_d'1 = 1

    X_d  documents x words     U_d  words x topics          H    topics x classes, shared
    V_d  documents x classes; for a source, its labels
    W^u_d, W^v_d  affinity of words and of documents in domain d; D  the row sums of W, on the diagonal

W is the graph of the p nearest neighbors by cosine, of words (3) or of documents (5) within a domain, made symmetric by
max(W, W'). The user can give another graph.

Paper: Long, Wang, Ding, Shen and Yang, Transfer Learning with Graph Co-Regularization, AAAI 2012. (8), (9) and (10)
update U_d, V_d and H. Theorem 1: these updates never increase (7).

Departures
----------
- The KKT line of the paper has V H'U'U H instead of U H V'V H' (a misprint: the sizes do not fit); its update (8) is
  right. The function of Theorem 2 lacks the constant lambda tr(U'WU) of the U before the update: without it, it is
  below (7). Its minimum, (8), is the same.
- "X / ||X||" in Algorithm 1 may mean the whole matrix or each document. Here the whole matrix is divided by its
  norm, because lambda = gamma = 100 (the values of the paper) have no effect otherwise. `normalization="documents"` is
  the other interpretation.
- U and V are normalized right after their own update; `normalize="cycle"` is the order of Algorithm 1, after (10),
  which requires another product X'V. After 40 iterations the order has changed no label of the three Reuters tasks
  (lambda = gamma = 100) and the accuracy on books-kitchen and electronics-dvd (lambda = gamma = 1; .834 and .782) by
  .001 at most. Theorem 1 covers only the updates without normalization.
- The default is 40 iterations; the paper has 100 (`max_iter=100`). 40 was chosen on six tasks: three of the newsgroups
  and the three pairs of Amazon. On Reuters and Amazon the accuracy falls after 40, most on orgs vs places. One seed,
  means over tasks:

                                     Reuters, 3    newsgroups, 6    Amazon, 3
      30 iterations                     .783           .977            .816
      40 iterations (default)           .778           .977            .819
      100 iterations (the paper)        .725           .977            .770
      100, `tol=1e-3`                   .783           .974            .817

  `labelferry bench table gcmf --seeds 1 --methods "GCMF(max_iter=30),GCMF,GCMF(max_iter=100),GCMF(max_iter=100,
  tol=0.001)"` prints the first two columns. The last is `bench table amazon` with `word_smoothness=1, doc_smoothness=1`
  in each method and `--tasks "books to kitchen,electronics to dvd,kitchen to electronics"`.
  `tol` stops when the objective changes by less than this part of it within ten iterations. 26 rules without labels
  were tried; those that wait until labels or V stop changing come too late.
- For a later document only its row of V is computed, with (9). Its neighbors are the nearest documents of the fit in
  the same domain, by cosine, even if the user gave a graph of documents: that graph does not contain the later
  document.
- Rows of V of target documents with a given label are not updated, so the columns of V do not sum exactly to one.
- `class_prior` is not in the paper. If it is given, the column sums of a target's V are those of `masses`, not one.
- The logistic regression that gives the first V always uses documents of unit length.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.ordering import Ordering
from ..core.params import Rules, at_least, choice, count
from ..core.registry import register
from ..families.linear import start_labels
from ..families.topics import TopicRow, topics_table
from ..families.trifactorization import (
    FactorizationProblem,
    TriFactorization,
    factorization_problem,
    normalize_columns_if,
    random_factor,
    solve_trifactorization,
)
from ..families.user_graphs import doc_graphs, sort_graphs, word_graphs
from ..linalg.knn import nearest, neighbor_graph
from ..linalg.laplacian import Graph, graph, no_edges, roughness, subgraph
from ..linalg.matrix import Array, Matrix, fill_rows, no_rows, squared_norm, take_columns, word_counts
from ..linalg.multiplicative import add_up, by_rows, gram, normalize_columns_l1, root_scale, sq_residual
from ..linalg.normalize import normalize_rows_l2, scale_rows, unit_norm
from ..linalg.thin import thin_product
from ..linalg.threads import each_quickly


class Factors(NamedTuple):
    """The factors of (7); U, V and XV have one entry per domain."""

    U: tuple[Annotated[Array, "words x topics >= 0"], ...]
    H: Annotated[Array, "topics x classes >= 0"]
    V: tuple[Annotated[Array, "documents[d] x classes >= 0"], ...]
    XV: tuple[Annotated[Array, "words x classes >= 0"], ...]  # X_d' V_d


class Graphs(NamedTuple):
    """The graphs of (7), one entry per domain."""

    words: tuple[Graph, ...]  # lambda W^u_d
    docs: tuple[Graph, ...]  # gamma W^v_d


class Fitted(NamedTuple):
    """The factors and the documents of the fit, in which the neighbors of later documents are searched."""

    factors: Factors
    X: tuple[Annotated[Matrix, "documents[d] x words >= 0"], ...]  # as factorized; without rows if gamma is 0
    place: tuple[Annotated[Array, "documents[d]"], ...]  # of equally near ones the first by content is the neighbor
    lengths: Annotated[Array, "domains > 0"] | None  # divisor of each X; None if every document has its own
    gamma: float
    p: int  # number of neighbors of a document


def objective(f: Factors, p: FactorizationProblem, g: Graphs) -> float:  # (7)
    """The squared residuals and the roughness over both graphs, summed over the domains."""
    return sum(
        sq_residual(Xd, Ud @ f.H, Vd, XVd) + roughness(words, Ud) + roughness(docs, Vd)
        for Xd, Ud, Vd, XVd, words, docs in zip(p.X, f.U, f.V, f.XV, g.words, g.docs, strict=True)
    )


def step(f: Factors, p: FactorizationProblem, g: Graphs, normalize: str = "update") -> Factors:
    """(8)-(10) for one domain after the other, as in Algorithm 1.

    `normalize`: when U_d and V_d are normalized: right after their update, after (10), or never (the setting of
    Theorem 1).
    """
    U, H, V, XV = list(f.U), f.H, list(f.V), list(f.XV)
    VtV = [gram(Vd) for Vd in V]
    UtXV = [Ud.T @ XVd for Ud, XVd in zip(U, XV, strict=True)]
    WU = each_quickly(lambda words, Ud: words.W @ Ud, g.words, U)
    at_once, known = normalize == "update", p.known
    for d, (words, docs) in enumerate(zip(g.words, g.docs, strict=True)):
        new_U = partial(update_U, H=H, G=H @ VtV[d] @ H.T)
        U[d] = normalize_columns_if(at_once, by_rows(new_U, U[d], XV[d], WU[d], words.degree))
        if not known[d].all():
            B = U[d] @ H
            Vd = update_V(V[d], thin_product(p.X[d], B), thin_product(docs.W, V[d]), docs.degree, G=gram(B))
            V[d] = np.where(known[d][:, None], V[d], scale_to_mass(normalize_columns_if(at_once, Vd), p.shares[d]))
            XV[d], VtV[d] = thin_product(p.X[d].T, V[d]), gram(V[d])
        UtXV[d] = U[d].T @ XV[d]
        H = root_scale(H, add_up(UtXV), add_up(Ud.T @ (Ud @ H) @ VtVd for Ud, VtVd in zip(U, VtV, strict=True)))  # (10)
        if normalize == "cycle":
            U[d] = normalize_columns_l1(U[d])
            if not known[d].all():
                Vd = scale_to_mass(normalize_columns_l1(V[d]), p.shares[d])
                V[d] = np.where(known[d][:, None], V[d], Vd)
                XV[d], VtV[d] = thin_product(p.X[d].T, V[d]), gram(V[d])
            UtXV[d] = U[d].T @ XV[d]
    return Factors(tuple(U), H, tuple(V), tuple(XV))


def masses(shares: Array, label_shares: Array) -> Array:
    """The sums of the columns of a target's V if its class proportions (`shares`) are given.

    Proportional to `shares / label_shares`, with mean one; `label_shares` are the proportions of the given labels.
    V'1 = 1 in (7) gives all classes the same column sum, so the documents of a rare class would get larger entries.
    """
    moved = shares / label_shares
    mass: Array = moved * len(moved) / moved.sum()
    return mass


def scale_to_mass(V: Array, mass: Array | None) -> Array:
    """Columns that sum to one, scaled to the sums in `mass`; unchanged if it is None."""
    return V if mass is None else V * mass.astype(V.dtype)


def update_U(U: Array, XV: Array, WU: Array, degree: Array, *, H: Array, G: Array) -> Array:
    """(8) for a block of words, not normalized."""
    return root_scale(U, XV @ H.T + WU, U @ G + degree * U)  # (8), G = H V'V H'


def update_V(V: Array, XB: Array, WV: Array, degree: Array, *, G: Array) -> Array:
    """(9), not normalized."""
    return root_scale(V, XB + WV, V @ G + degree * V)  # (9), B = U H and G = B'B


def start(p: FactorizationProblem, here: Sequence[Array], n_topics: int, rng: np.random.Generator) -> Factors:
    """Random U_d for the words marked in `here`, random H; V from the labels or logistic regression (Algorithm 1)."""
    draw = partial(random_factor, rng, dtype=p.V[0].dtype)
    U = tuple(normalize_columns_l1(draw(int(h.sum()), n_topics)) for h in here)
    return Factors(U, draw(n_topics, p.V[0].shape[1]), p.V, p.XV)


def cosine_graphs(X: Sequence[Matrix], n_neighbors: int, weight: float) -> list[Graph]:
    """The graph (3) of the rows of each matrix, multiplied by `weight`; a weight of 0 needs no search for neighbors."""
    if weight == 0:
        return [no_edges(Xd.shape[0], Xd.dtype) for Xd in X]
    return [graph(neighbor_graph(Xd, n_neighbors=n_neighbors), Xd.dtype, weight) for Xd in X]


def solve(
    domains: Domains,
    *,
    n_topics: int,
    word_smoothness: float,
    doc_smoothness: float,
    n_neighbors: int,
    normalization: str,
    normalize: str,
    max_iter: int,
    tol: float,
    n_init: int,
    rng: np.random.Generator,
    doc_graph: Any = None,
    word_graph: Any = None,
) -> Solution:
    """Fit the factors; the parameters are those of `GCMF` and of its `fit`."""
    by_matrix = normalization == "matrix"
    X = tuple((unit_norm if by_matrix else normalize_rows_l2)(Xd) for Xd in domains.X)
    words = word_graphs(word_graph, domains, word_smoothness) or cosine_graphs(
        [Xd.T for Xd in domains.X], n_neighbors, word_smoothness
    )
    docs = doc_graphs(doc_graph, domains, doc_smoothness) or cosine_graphs(X, n_neighbors, doc_smoothness)
    # A word that does not occur in a domain and has no links in its graph has a row of zeros in U_d after (8).
    here = [(word_counts(Xd) > 0) | (g.degree.ravel() > 0) for Xd, g in zip(X, words, strict=True)]
    g = Graphs(tuple(subgraph(w, h) for w, h in zip(words, here, strict=True)), tuple(docs))
    mass = [None if shares is None else masses(shares, domains.class_prior) for shares in domains.shares]
    V = tuple(scale_to_mass(normalize_columns_l1(Vd), m) for Vd, m in zip(start_labels(domains), mass, strict=True))
    best = solve_trifactorization(
        factorization_problem([take_columns(Xd, h) for Xd, h in zip(X, here, strict=True)], domains.known, V, mass),
        partial(start, here=here, n_topics=n_topics, rng=rng),
        partial(step, g=g, normalize=normalize),
        partial(objective, g=g),
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )
    f: Factors = best.state
    U, XV = (tuple(fill_rows(Ad, h) for Ad, h in zip(A, here, strict=True)) for A in (f.U, f.XV))
    lengths = np.sqrt([squared_norm(Xd) or 1.0 for Xd in domains.X]) if by_matrix else None
    kept = X if doc_smoothness > 0 else tuple(map(no_rows, X))  # without a graph no neighbors are searched later
    place = tuple(np.arange(Xd.shape[0]) for Xd in kept)
    fitted = Fitted(Factors(U, f.H, f.V, XV), kept, place, lengths, float(doc_smoothness), n_neighbors)
    return best._replace(state=fitted)


def fold_in_with_neighbors(X: Matrix, s: Fitted, d: int, *, n_iter: int = 100) -> Array:
    """`n_iter` updates (9) for new documents of domain d; U, H and the labels of their neighbors are fixed."""
    B, V_d = s.factors.U[d] @ s.factors.H, s.factors.V[d]
    XB, BtB = X @ B, gram(B)
    V: Array = np.full_like(XB, V_d.mean())
    WV, degree = np.zeros_like(XB), np.zeros_like(XB[:, :1])
    if s.gamma > 0:
        W = s.gamma * nearest(X, s.X[d], n_neighbors=s.p, rank=s.place[d])
        WV, degree = W @ V_d, np.asarray(W.sum(axis=1)).reshape(-1, 1)
    for _ in range(n_iter):
        V = update_V(V, XB, WV, degree, G=BtB)
    return V


@register
class GCMF(TriFactorization):
    """Graph co-regularized tri-factorization: topics, with graphs of similar documents and similar words.

    Use it if the classes are topics, or with graphs of your own (similar documents, similar words).

    Parameters
    ----------
    n_topics : int, default=64
        Number of topics, k in the paper.
    word_smoothness : float, default=100.0
        Weight of the graph of words, lambda in equation (7) of the paper. The paper's 100 is good if the classes are
        topics; use 1 for sentiment.
    doc_smoothness : float, default=100.0
        Weight of the graph of documents, gamma in equation (7); use 1 for sentiment.
    n_neighbors : int, default=10
        Number of neighbors in both graphs, p in the paper.
    normalization : {"matrix", "documents"}, default="matrix"
        "matrix" divides the X of each domain by its norm, "documents" divides each document by its length.
    normalize : {"update", "cycle"}, default="update"
        "update" normalizes U and V of a domain right after their update; "cycle" normalizes them after all updates of
        the domain, which is the order of the paper.
    max_iter : int, default=40
        Largest number of iterations; 100 in the paper.
    tol : float, default=0.0
        Stop if, within ten iterations, the objective decreases by less than `tol` times its first value; 0 runs all
        iterations. With `max_iter=100` try 1e-3: see the departures in the source file.
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
        `state_.factors`: H (topics x classes), and one entry per domain, in the order of `domain_names_`, of U (words x
        topics), V (documents x classes) and XV (X' V). `state_.X` contains the documents of the fit, in which the
        neighbors of later documents are searched: a saved model contains these documents.
        For the other attributes see `labelferry.core.classifier.TransductiveClassifier`.

    References
    ----------
    M. Long, J. Wang, G. Ding, D. Shen and Q. Yang. Transfer Learning with Graph Co-Regularization. AAAI 2012.

    Examples
    --------
    >>> from labelferry import GCMF
    >>> from labelferry import load_demo
    >>> demo = load_demo()
    >>> y_new = GCMF(n_topics=16, random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = Fitted
    ignores_scale = "all"
    solve = staticmethod(solve)
    takes_blocks: ClassVar[bool] = True
    graph_weights: ClassVar[tuple[str, ...]] = ("word_smoothness", "doc_smoothness")
    _parameter_constraints: ClassVar[Rules] = {
        **TriFactorization._parameter_constraints,
        "word_smoothness": at_least(0),
        "doc_smoothness": at_least(0),
        "n_neighbors": count(),
        "normalization": choice("matrix", "documents"),
        "normalize": choice("update", "cycle"),
    }
    __metadata_request__fit: ClassVar = {"sample_domain": True, "doc_graph": True, "word_graph": True}

    def __init__(
        self,
        n_topics: int = 64,
        *,
        word_smoothness: float = 100.0,
        doc_smoothness: float = 100.0,
        n_neighbors: int = 10,
        normalization: str = "matrix",
        normalize: str = "update",
        max_iter: int = 40,
        tol: float = 0.0,
        n_init: int = 1,
        class_prior: str | ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.word_smoothness = word_smoothness
        self.doc_smoothness = doc_smoothness
        self.n_neighbors = n_neighbors
        self.normalization = normalization
        self.normalize = normalize
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_domain: Any = None,
        *,
        target: Any = None,
        use_target_labels: bool = False,
        doc_graph: Any = None,
        word_graph: Any = None,
    ) -> Self:
        """Predict the labels of the target rows of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            The documents of all domains.
        y : array of shape (n_documents,)
            One label per row. Unlabelled is -1 for integers and None, NaN or "" for strings.
        sample_domain : array of shape (n_documents,), default=None
            The domain of each row, as an integer (>= 0 is a source, < 0 is a target) or as a name (then `target` is
            needed). None: the unlabelled rows are the target, the others are one source.
        target : str or list of str, default=None
            Name (or names) of the target if `sample_domain` contains names.
        use_target_labels : bool, default=False
            Whether to learn from labels on target rows too. By default they are never used.
        doc_graph : sparse matrix of shape (n_documents, n_documents), or dict, default=None
            Affinities of the rows of X instead of cosine neighbors. Links between documents of different domains are
            not used. A dict has one matrix (documents x documents of the domain) per value of `sample_domain`.
        word_graph : sparse matrix of shape (n_words, n_words), or dict, default=None
            Affinities of the words for all domains, or a dict with one matrix per value of `sample_domain`.

        Returns
        -------
        self : GCMF
            The fitted estimator.
        """
        graphs = {"doc_graph": doc_graph, "word_graph": word_graph}
        return self._fit_rows(X, y, sample_domain, target=target, use_target_labels=use_target_labels, **graphs)

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
            `lean` (the share of that weight in the row), `common` (words with a large weight in all domains) and
            `domains` (the words of each domain).
        """
        f: Factors = self.state_.factors
        common = np.exp(np.mean([np.log(Ud + np.finfo(Ud.dtype).tiny) for Ud in f.U], axis=0))
        return topics_table(
            common,
            f.U,
            f.H,
            classes=self.classes_,
            domain_names=self.domain_names_,
            feature_names=feature_names,
            n_words=n_words,
            shown=shown,
        )

    def _sort_data(self, data: dict[str, Any], ordering: Ordering) -> dict[str, Any]:
        return sort_graphs(data.get("doc_graph"), data.get("word_graph"), ordering)

    def _document_factors(self) -> tuple[Array, ...]:
        f: Factors = self.state_.factors
        return f.V

    def _class_profiles(self, d: int) -> Array:
        f: Factors = self.state_.factors
        return f.U[d] @ f.H

    def _fold_in(self, X: Matrix, d: int) -> Array:
        lengths = self.state_.lengths
        X = normalize_rows_l2(X) if lengths is None else scale_rows(X, np.full(X.shape[0], 1 / lengths[d]))
        return fold_in_with_neighbors(X, self.state_, d)
