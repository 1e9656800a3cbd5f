"""Facts about the documents that overrule any estimate: each rule has a measure, a limit, a sentence and a way out.

The limits are rules, not estimates: they name situations in which labels cannot be transferred, or in which an estimate
means nothing. A new rule is a line of RULES and a function that returns its sentence, or None if it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..core.sampling import MAX_COMPARED, sample_rows
from ..linalg.matrix import Array
from .facts import TargetFacts
from .new_classes import NOT_MARKED, show_no_new_class

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


class Fact(NamedTuple):
    """Something that rules out the verdict "safe"."""

    name: str
    sentence: str  # with its number
    way_out: str  # empty if the sentence has it
    unsafe: bool  # True: the verdict is unsafe; False: it is at best doubtful
    review_all: bool = False  # do all labels need review?
    no_estimate: bool = False  # does an estimate mean nothing?

    @property
    def advice(self) -> str:
        """The sentence with the way out."""
        return f"{self.sentence} {self.way_out}".rstrip()


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


class Seen(NamedTuple):
    """What the rules look at: measurements, and the answer."""

    facts: TargetFacts
    codes: Array  # labels of the new documents
    source_codes: Array
    classes: Sequence[str]
    groups: Sequence[int] | Array = ()  # `Assessment.groups`
    expected: Array | None = None  # class proportions that the user knows, or of earlier labels
    wording: Wording = TRANSFER
    n_answers: int = 0  # answers about random documents
    n_none: int = 0  # of them, those that name none of the classes

    @property
    def is_measured(self) -> bool:
        """Whether answers have measured what such documents cost, so that no guess about it is needed."""
        return self.n_answers >= MIN_SAFE_ANSWERS

    @property
    def shares(self) -> Array:
        """Class proportions of the labels."""
        return np.bincount(self.codes, minlength=len(self.classes)) / max(1, len(self.codes))

    @property
    def before(self) -> Array:
        """The proportions to compare them with: those that are expected, or of the labelled documents."""
        if self.expected is not None:
            return self.expected
        return np.bincount(self.source_codes, minlength=len(self.classes)) / len(self.source_codes)

    @property
    def has_enough(self) -> bool:
        """Whether there are enough documents for their class proportions to mean something."""
        return len(self.codes) >= MIN_NEW


def few_known_words(seen: Seen) -> str | None:
    facts, wording = seen.facts, seen.wording
    has_enough = facts.known_documents >= MIN_KNOWN_DOCUMENTS and facts.known_weight >= MIN_KNOWN_WEIGHT
    if has_enough or seen.is_measured:
        return None
    return (
        f"{facts.known_documents:.0%} of the {wording.new} contain {wording.known}, and {facts.known_weight:.0%} "
        f"{wording.weight}: the vocabularies hardly overlap."
    )


def mostly_foreign(seen: Seen) -> str | None:
    facts = seen.facts
    if facts.foreign < MIN_MOSTLY_FOREIGN or seen.is_measured:
        return None
    names = f": {facts.source_language} and {facts.target_language}" if facts.target_language else ""
    return f"{facts.foreign:.0%} of the {seen.wording.new} are in another language than the labelled documents{names}."


def partly_foreign(seen: Seen) -> str | None:
    if not MIN_FOREIGN <= seen.facts.foreign < MIN_MOSTLY_FOREIGN or seen.is_measured:
        return None
    return f"{seen.facts.foreign:.0%} of the {seen.wording.new} are in another language than the labelled documents."


def constant_answer(seen: Seen) -> str | None:
    shares, c = seen.shares, int(seen.shares.argmax())
    is_expected = seen.expected is not None and seen.expected[c] >= MAX_LARGEST
    if not seen.has_enough or shares[c] < MAX_LARGEST or is_expected:
        return None
    return f"{shares[c]:.0%} of the labels of the {seen.wording.new} are {seen.classes[c]!r}."


def vanished_class(seen: Seen) -> str | None:
    shares, before = seen.shares, seen.before
    gone = [c for c in range(len(shares)) if before[c] >= MIN_SOURCE_SHARE and shares[c] < VANISHED * before[c]]
    if not gone or not seen.has_enough:
        return None
    reference = "of the labelled" if seen.expected is None else seen.wording.expected
    names = ", ".join(
        f"{seen.classes[c]!r} ({shares[c]:.1%} of their labels, {before[c]:.0%} {reference})" for c in gone[:3]
    )
    return f"Hardly any of the {seen.wording.new} got the label {names}."


def of_no_class(seen: Seen) -> str | None:
    marked = int(np.not_equal(seen.groups, NOT_MARKED).sum())
    if not marked:
        return None
    share = f"{marked:,} new documents ({marked / len(seen.codes):.0%})"
    return (
        f"{share} may fit no class: read 10 with none_of_these true. If they are a new class, their labels are wrong "
        "and the estimate is too high: label some of them, add these to the labelled documents, and run again. If not, "
        "ignore none_of_these."
    )


def unexplained(seen: Seen) -> str | None:
    found = unexplained_class(seen.facts, seen.codes[sample_rows(len(seen.codes), MAX_COMPARED)])
    if found is None:
        return None
    c, ratio = found
    if show_no_new_class(seen.n_answers, seen.n_none, float(seen.shares[c])):
        return None
    return (
        f"New documents with the label {seen.classes[c]!r} look unlike all labelled ones: read 10 of them. They "
        f"may be of a new class. Their similarity is {ratio:.0%} of that of the most similar label; less than "
        f"{MIN_EXPLAINED:.0%} is a warning."
    )


def few_labelled(seen: Seen) -> str | None:
    n, least = seen.facts.n_labelled, seen.facts.least_class
    return f"There are {n} labelled documents, {least} of the smallest class." if n < MIN_LABELLED else None


def tiny_classes(seen: Seen) -> str | None:
    n, least = seen.facts.n_labelled, seen.facts.least_class
    if n < MIN_LABELLED or least >= MIN_PER_CLASS:
        return None
    counts = np.bincount(seen.source_codes, minlength=len(seen.classes)).tolist()
    tiny = sorted((count, name) for count, name in zip(counts, seen.classes, strict=True) if count < MIN_PER_CLASS)
    if len(seen.source_codes) < n:  # a sample of them
        return f"The smallest class has {least} of {n} labelled documents."
    names = ", ".join(f"{name!r} ({count})" for count, name in tiny[:3])
    more = f" and {len(tiny) - 3} more" if len(tiny) > 3 else ""
    return f"Hardly any labelled documents have the label {names}{more}: merge or drop it."


def few_new(seen: Seen) -> str | None:
    n = seen.facts.n_new
    return f"There are {n} {seen.wording.few}; an estimate needs at least {MIN_NEW}." if n < MIN_NEW else None


def many_copies(seen: Seen) -> str | None:
    share = seen.facts.copies
    return (
        f"{share:.0%} of the {seen.wording.new} are copies or near-copies of another one."
        if share > MAX_COPIES
        else None
    )


class Rule(NamedTuple):
    """When a fact applies, and what follows from it; see `Fact`."""

    name: str
    sentence: Callable[[Seen], str | None]  # None: it does not apply
    way_out: str
    unsafe: bool = False
    review_all: bool = False
    no_estimate: bool = False


# Different languages first, because others can follow from it; then the most serious.
RULES = (
    Rule(
        LANGUAGES,
        mostly_foreign,
        "Translate these documents, or add labelled ones in their language.",
        unsafe=True,
        review_all=True,
    ),
    Rule(LANGUAGES, partly_foreign, "Translate these documents, or add labelled ones in their language."),
    Rule(
        "few known words",
        few_known_words,
        "Check that old and new documents are in one language and were split into words in the same way.",
        unsafe=True,
        review_all=True,
    ),
    Rule(
        "constant answer",
        constant_answer,
        "Label a few new documents by hand to see whether that is true.",
        unsafe=True,
    ),
    Rule(
        "vanished class",
        vanished_class,
        "Search for documents of this class by hand, or remove the class if it cannot occur.",
    ),
    Rule("documents of no class", of_no_class, ""),
    Rule(
        "unexplained class",
        unexplained,
        "If these documents are of a new class, add labelled ones of it.",
    ),
    Rule(
        "few labelled documents",
        few_labelled,
        f"At least {MIN_LABELLED} labelled documents are needed, and at least {MIN_PER_CLASS} in each class.",
        review_all=True,
    ),
    Rule(
        "tiny classes",
        tiny_classes,
        f"Merge such a class with another one, or drop it: fewer than {MIN_PER_CLASS} documents cannot teach it.",
        review_all=True,
    ),
    Rule("few new documents", few_new, "Check these labels by hand.", review_all=True, no_estimate=True),
    Rule("copies", many_copies, "Remove the copies and label the rest."),
)


def find_facts(seen: Seen) -> tuple[Fact, ...]:
    """The facts that rule out a verdict, in the order of RULES."""
    said = ((rule, rule.sentence(seen)) for rule in RULES)
    return tuple(
        Fact(rule.name, sentence, rule.way_out, rule.unsafe, rule.review_all, rule.no_estimate)
        for rule, sentence in said
        if sentence is not None
    )


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
            f"Few and short texts ({facts.n_labelled:,} labelled, {facts.n_new:,} new): the estimate can be far "
            f"off. Half of the new ones have at most {facts.words:.0f} words, and {1 - facts.known_documents:.1%} "
            "contain no word of the labelled ones.",
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
            "Answers show which of them can be used.",
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
