"""Facts about the documents that overrule any estimate: each has a number, a sentence and a way out.

`target_facts` measures them from the matrices, `find_facts` compares them with limits. The limits are rules, not
estimates: they name situations in which labels cannot be transferred, or in which an estimate means nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..core.domains import Domains
from ..core.sampling import MAX_COMPARED, sample_rows
from ..linalg.knn import nearest
from ..linalg.matrix import Array, has_column, in_memory, squared_column_sums, word_counts
from .copies import nearest_others, share_of_copies
from .new_classes import NOT_MARKED, Clusters, measure_clusters

N_NEAREST = 5
MIN_LABELLED, MIN_PER_CLASS, MIN_NEW = 50, 10, 30
MIN_KNOWN_DOCUMENTS, MIN_KNOWN_WEIGHT = 0.7, 0.3
MAX_COPIES = 0.5
MAX_LARGEST, VANISHED, MIN_SOURCE_SHARE = 0.98, 0.1, 0.02
MIN_EXPLAINED = 0.35
MIN_FOREIGN, MIN_MOSTLY_FOREIGN = 0.1, 0.5
FEW_TEXTS, SHORT, MIN_KNOWN_OF_FEW = 500, 15, 0.99  # of few short texts, a larger share has to contain a known word
MAX_MARKED = 0.5
MIN_SAFE_ANSWERS = 40  # of fewer answers, the verdict is safe only if it is so without answers
LANGUAGES = "different languages"  # other facts, such as few known words, can follow from this one


class Languages(NamedTuple):
    """Detected languages; empty if unknown."""

    source: str = ""
    target: str = ""
    foreign: float = 0.0  # share of the new documents in a language that the labelled documents lack


class TargetFacts(NamedTuple):
    """Measurements that do not depend on the answer."""

    n_labelled: int
    n_new: int
    least_class: int  # labelled documents of the smallest class
    known_documents: float  # share of new documents with a word that occurs in labelled documents
    known_weight: float  # share of the squared weight of the new documents on such words
    copies: float  # share of new documents that are (near-)copies of an earlier one
    to_source: Array  # mean cosine with the nearest labelled documents, per compared document
    to_target: Array  # mean cosine with the nearest other new documents, per compared document
    cluster: Array = np.zeros(0, dtype=np.intp)  # `Clusters.cluster`
    contrasts: Array = np.zeros((0, 2))  # `Clusters.contrasts`
    source_language: str = ""  # empty if unknown
    target_language: str = ""
    foreign: float = 0.0  # `Languages.foreign`
    words: float = np.inf  # median number of different words of a new document

    @property
    def clusters(self) -> Clusters:
        """The clusters of the new documents."""
        return Clusters(self.cluster, self.contrasts)

    def with_languages(self, languages: Languages | None) -> TargetFacts:
        """The facts with the languages of the documents; None: they are unknown."""
        source, target, foreign = languages or Languages()
        return self._replace(source_language=source, target_language=target, foreign=foreign)

    def as_dict(self) -> dict[str, Any]:
        """The plain numbers."""
        return {name: value for name, value in self._asdict().items() if not isinstance(value, np.ndarray)}

    def arrays(self) -> dict[str, Array]:
        """The arrays."""
        return {name: value for name, value in self._asdict().items() if isinstance(value, np.ndarray)}

    @classmethod
    def from_arrays(cls, numbers: dict[str, Any], arrays: dict[str, Array]) -> TargetFacts:
        """The facts that `as_dict` and `arrays` give."""
        values: dict[str, Any] = {**numbers, **arrays}
        return cls(**values)


class Fact(NamedTuple):
    """Something that rules out the verdict "safe"."""

    name: str
    sentence: str  # with its number
    way_out: str
    unsafe: bool  # True: the verdict is unsafe; False: it is at best doubtful
    review_all: bool = False  # do all labels need review?
    no_estimate: bool = False  # does an estimate mean nothing?


class Wording(NamedTuple):
    """How the sentences name the documents."""

    new: str = "new documents"
    known: str = "a word of the labelled documents"
    weight: str = "of their weight is on such words"
    few: str = "new documents"
    expected: str = "expected by you"


TRANSFER = Wording()
LATER = Wording(
    new="later documents",
    known="a word that the model knows",
    weight="of their words are such words",
    few="later documents with a label",
    expected="when the model was fitted",
)


def target_facts(domains: Domains, Z: Array | None = None) -> TargetFacts:
    """Measure the documents; the coordinates Z of the new ones are computed unless they are given."""
    Xs, codes = domains.labelled()
    Xt: Any = domains.target_documents()
    known = word_counts(Xs) > 0
    squares = squared_column_sums(Xt)
    some, others = (in_memory(X[sample_rows(X.shape[0], MAX_COMPARED)]) for X in (Xt, Xs))
    neighbors = nearest_others(some)
    clusters = measure_clusters(Xs, codes, Xt, domains.n_classes, Z)
    return TargetFacts(
        n_labelled=len(codes),
        n_new=Xt.shape[0],
        least_class=int(np.bincount(codes, minlength=domains.n_classes).min()),
        known_documents=float(has_column(Xt, known).mean()),
        known_weight=float(squares[known].sum() / max(squares.sum(), 1e-300)),
        copies=share_of_copies(Xt, neighbors),
        to_source=mean_largest(nearest(some, others, n_neighbors=N_NEAREST), others.shape[0]),
        to_target=mean_largest(neighbors, some.shape[0] - 1),
        cluster=clusters.cluster,
        contrasts=clusters.contrasts,
        words=float(np.median(np.asarray((some != 0).sum(axis=1)))),
    )


def find_facts(
    facts: TargetFacts,
    codes: Array,
    source_codes: Array,
    classes: Sequence[str],
    *,
    groups: Sequence[int] | Array = (),
    expected: Array | None = None,
    wording: Wording = TRANSFER,
) -> tuple[Fact, ...]:
    """The facts that rule out a verdict.

    `expected`: class proportions that the user knows, or of earlier labels. A class may be as rare, or as frequent,
    as in them.
    Returns those that apply: different languages first, because others can follow from it; then the most serious.
    """
    found = []
    if facts.known_documents < MIN_KNOWN_DOCUMENTS or facts.known_weight < MIN_KNOWN_WEIGHT:
        found.append(
            Fact(
                "few known words",
                f"{facts.known_documents:.0%} of the {wording.new} contain {wording.known}, and "
                f"{facts.known_weight:.0%} {wording.weight}: the vocabularies hardly overlap.",
                "Check that both are in one language and were split into words in the same way.",
                True,
                review_all=True,
            )
        )
    if facts.foreign >= MIN_FOREIGN:
        mostly = facts.foreign >= MIN_MOSTLY_FOREIGN
        names = f": {facts.source_language} and {facts.target_language}" if mostly and facts.target_language else ""
        found.append(
            Fact(
                LANGUAGES,
                f"{facts.foreign:.0%} of the {wording.new} are in another language than the labelled documents{names}.",
                "Translate them, or add labelled documents in their language.",
                mostly,
                review_all=mostly,
            )
        )
    before, reference = expected, wording.expected
    if before is None:
        before, reference = np.bincount(source_codes, minlength=len(classes)) / len(source_codes), "of the labelled"
    target = np.bincount(codes, minlength=len(classes)) / max(1, len(codes))
    largest = int(target.argmax())
    if _enough(codes) and target[largest] >= MAX_LARGEST and (expected is None or expected[largest] < MAX_LARGEST):
        found.append(
            Fact(
                "constant answer",
                f"{target[largest]:.0%} of the labels of the {wording.new} are {classes[largest]!r}.",
                "Label a few new documents by hand to see whether that is true.",
                True,
            )
        )
    gone = [c for c in range(len(classes)) if before[c] >= MIN_SOURCE_SHARE and target[c] < VANISHED * before[c]]
    if gone and _enough(codes):
        names = ", ".join(
            f"{classes[c]!r} ({target[c]:.1%} of their labels, {before[c]:.0%} {reference})" for c in gone[:3]
        )
        found.append(
            Fact(
                "vanished class",
                f"Hardly any of the {wording.new} got the label {names}.",
                "Search for documents of this class by hand, or remove the class if it cannot occur.",
                False,
            )
        )
    marked = int(np.not_equal(groups, NOT_MARKED).sum())
    if marked:
        found.append(
            Fact(
                "documents of no class",
                f"{marked} new documents ({marked / len(codes):.0%}) resemble no class of the labelled documents, "
                "compared with the other new documents. They may belong to a class that the labelled documents lack; "
                "the estimates do not include this.",
                "Read some of the documents marked none_of_these, and add labelled documents of the new class if there "
                "is one.",
                False,
            )
        )
    strange = unexplained_class(facts, codes[sample_rows(len(codes), MAX_COMPARED)])
    if strange is not None:
        c, ratio = strange
        found.append(
            Fact(
                "unexplained class",
                f"The new documents with the label {classes[c]!r} resemble each other, but not the labelled documents. "
                f"Their similarity to these is {ratio:.0%} of that of the most similar label; less than "
                f"{MIN_EXPLAINED:.0%} is a warning. They may belong to a class that the labelled documents lack.",
                "Read some of them, and add labelled documents of the new class if there is one.",
                False,
            )
        )
    if facts.n_labelled < MIN_LABELLED or facts.least_class < MIN_PER_CLASS:
        found.append(
            Fact(
                "few labelled documents",
                f"There are {facts.n_labelled} labelled documents, {facts.least_class} of the smallest class.",
                f"At least {MIN_LABELLED} labelled documents are needed, and at least {MIN_PER_CLASS} in each class.",
                False,
                review_all=True,
            )
        )
    if facts.n_new < MIN_NEW:
        found.append(
            Fact(
                "few new documents",
                f"There are {facts.n_new} {wording.few}; an estimate needs at least {MIN_NEW}.",
                "Check these labels by hand.",
                False,
                review_all=True,
                no_estimate=True,
            )
        )
    if facts.copies > MAX_COPIES:
        found.append(
            Fact(
                "copies",
                f"{facts.copies:.0%} of the {wording.new} are copies or near-copies of another one.",
                "Remove the copies and label the rest.",
                False,
            )
        )
    return tuple(sorted(found, key=lambda fact: (fact.name != LANGUAGES, not fact.unsafe)))


def few_short_texts(facts: TargetFacts) -> tuple[Fact, ...]:
    """A fact if there are few documents, and some of them are so short that they contain no known word.

    Then the methods agree with each other, and with the labelled documents, on a few words that do not mean the same.
    """
    is_few_and_short = min(facts.n_labelled, facts.n_new) < FEW_TEXTS and facts.words <= SHORT
    if not is_few_and_short or facts.known_documents >= MIN_KNOWN_OF_FEW:
        return ()
    return (
        Fact(
            "few short texts",
            f"There are {facts.n_labelled} labelled and {facts.n_new} new documents. Half of the new ones have at most "
            f"{facts.words:.0f} words, and {1 - facts.known_documents:.1%} contain no word of the labelled ones: an "
            "estimate from so few short texts can be far off.",
            "Check a random sample by hand.",
            False,
        ),
    )


def most_are_marked(review: Array) -> tuple[Fact, ...]:
    """A fact if most labels are marked for review."""
    share = float(np.mean(review)) if len(review) else 0.0
    if share <= MAX_MARKED:
        return ()
    return (
        Fact(
            "most labels marked",
            f"{share:.0%} of the labels are marked for review, so that the labels as a whole are not called safe.",
            "Check a random sample by hand: the answers show which labels can be used.",
            False,
        ),
    )


def few_answers(n_answers: int, *, safe_without: bool) -> tuple[Fact, ...]:
    """A fact if the verdict would be safe by a few answers only; `safe_without`: is the estimate without them enough?

    With 20 answers, 6 of 50 such verdicts on 105 tasks of 21 corpora were about labels with an accuracy below .80; with
    40 and 100 answers, 2 of 72 and 3 of 112.
    """
    if safe_without or not 0 < n_answers < MIN_SAFE_ANSWERS:
        return ()
    return (
        Fact(
            "few answers",
            f"The labels look good by {n_answers} answers, but not without them, and {n_answers} answers are few.",
            f"Answer at least {MIN_SAFE_ANSWERS} questions about documents that are drawn at random.",
            False,
        ),
    )


def _enough(codes: Array) -> bool:
    """Whether there are enough documents for their class proportions to mean something."""
    return len(codes) >= MIN_NEW


def unexplained_class(facts: TargetFacts, codes: Array) -> tuple[int, float] | None:
    """The label whose documents resemble the labelled documents least, if clearly less than those of other labels.

    Per label, the median of (cosine with the nearest labelled documents) / (cosine with the nearest new documents) is
    compared with that of the label with the largest one. Below MIN_EXPLAINED the label is returned with this ratio. It
    detects a new class that takes over a label, not one that is spread over all labels.
    """
    codes = codes[: len(facts.to_source)]
    ratios = facts.to_source / np.maximum(facts.to_target, 1e-6)
    labels = [c for c in np.unique(codes).tolist() if (codes == c).sum() >= MIN_PER_CLASS]
    medians = np.array([np.median(ratios[codes == c]) for c in labels])
    if len(labels) < 2 or medians.max() <= 0:
        return None
    least = int(medians.argmin())
    share = float(medians[least] / medians.max())
    return (labels[least], share) if share < MIN_EXPLAINED else None


def mean_largest(cosines: sp.csr_array, n_others: int) -> Array:
    """Mean of the N_NEAREST largest cosines of each row, of at most `n_others`; missing ones are 0."""
    row = np.repeat(np.arange(cosines.shape[0]), np.diff(cosines.indptr))
    order = np.lexsort((-cosines.data, row))
    rank = np.arange(len(row)) - cosines.indptr[row]
    largest = np.where(rank < N_NEAREST, cosines.data[order], 0)
    return np.bincount(row, largest, minlength=cosines.shape[0]) / max(1, min(N_NEAREST, n_others))
