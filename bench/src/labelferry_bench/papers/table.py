"""A table of the bench: its tasks, and the numbers that a paper prints for them.

    printed.value("rec vs talk", "SVM")       0.316      as printed: in CDSC's Table 2 an error rate
    printed.accuracy("rec vs talk", "SVM")    0.684      the same number as an accuracy

Rows have the names of the tasks: the row "rec vs talk" of the table "cdsc" is the task "cdsc/rec vs talk". Columns keep
the names of the paper; `PrintedTable.column_to_method` has the method of this library for each column. If the defaults
of a method differ from a paper, its docstring states how to get the form of the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .task import Task

Measure = Literal["error", "accuracy", "divergence"]

PAPER_METHODS = ("TCL", "GCMF", "CDSC", "HybridLabelPropagation", "HybridSimilarityPropagation")
PLAIN_LR = "SourceLR(C='cv', class_weight=None, weighting='given')"  # papers compare with it; our default is stronger
REFERENCES = ("EMNaiveBayes", PLAIN_LR)  # every table shows whether a method is better than these two
FULL_T, NO_T, OURS = "RSP(n_clusters=2, risk=0)", "RSP(n_clusters=2, risk=None)", "RSP(n_clusters=2)"
PRINTED_RSP = (
    "RSP(n_clusters=2, risk='paper', divergence='paper', kappa=7.389, degree_regularization=0, micro_clusters=100)"
)
RSP_NAMES = {FULL_T: "Full-T", NO_T: "No-T", OURS: "RSP"}  # as in the paper
HALF = "RSP(n_clusters=2, risk=0.5)"
RSP_METHODS = (FULL_T, HALF, NO_T, OURS, PRINTED_RSP)  # for targets of two classes, whatever those of the source are
# Methods without one of their parts, or with a choice that needs no labels, in the tables of their papers
ABLATIONS = {
    "GCMF": {
        "GCMF(doc_smoothness=0)": "GCMF, words only (lambda)",
        "GCMF(word_smoothness=0)": "GCMF, documents only (gamma)",
        "GCMF(word_smoothness=0, doc_smoothness=0)": "GCMF, no graph",
    },
    "TCL": {"TCL(common_weight=1)": "TCL, U only", "TCL(common_weight=0)": "TCL, W only"},
    "CDSC": {
        "CDSC(target_cut=0)": "CDSC, lambda = 0",
        "CDSC(n_eigenvectors='cut', target_cut='cut', degree_regularization=0)": "CDSC, k and lambda by the cut",
    },
}
SHORT_NAMES = {HALF: "RSP, R = 1/2"} | {spec: name for parts in ABLATIONS.values() for spec, name in parts.items()}
# Methods whose defaults differ from their papers, in the form of the paper. Both forms are rows of a table.
AS_PUBLISHED = {
    "SourceLR": PLAIN_LR,
    "TSVM": "TSVM(C=1)",
    "NormalizedCut": "NormalizedCut(degree_regularization=0)",
    "SpectralCoclustering": "SpectralCoclustering(degree_regularization=0)",
    "SpectralClassifier": "SpectralClassifier(degree_regularization=0, classifier='nearest')",
    "SourceSVM": "SourceSVM(C=1)",  # of SVM-light: one over the mean squared length of the documents
    "NMTF": "NMTF(normalize='cycle')",
    "DTL": "DTL(normalize='cycle')",
    "CoCC": "CoCC(n_init=1)",
    "NMFClustering": "NMFClustering(n_init=1)",
    "ITCC": "ITCC(n_init=1)",
    "SphericalKMeans": "SphericalKMeans(n_init=1)",
    "LapSVM": "LapSVM(n_neighbors=6)",
    "MSDA": "MSDA(corruption='cv', C='cv')",
    "TCL": "TCL(common_weight='cv', weighting='none', normalize='cycle', C='cv')",
    "CDSC": "CDSC(n_eigenvectors=6, target_cut=0.025, degree_regularization=0)",
    "GCMF": "GCMF(max_iter=100, normalize='cycle')",
    "HybridLabelPropagation": "HybridLabelPropagation(start='logistic', weighting='none', degree_regularization=0)",
    "HybridSimilarityPropagation": "HybridSimilarityPropagation(inverse='all', reading='cut', weighting='none', "
    "degree_regularization=0)",
    OURS: PRINTED_RSP,
}


@dataclass(frozen=True)
class PrintedTable:
    """The numbers of one table of a paper, as printed."""

    citation: str  # authors, title, venue and number of the table
    measure: Measure  # what the numbers are
    unit: float  # the printed number that stands for all documents: 1 for proportions, 100 for percentages
    # per column of the paper, the method of this library as `core.method_spec` reads it; None if there is none
    column_to_method: dict[str, str | None]
    rows: dict[str, tuple[float, ...]]  # per task, one number per column
    deviations: dict[str, tuple[float | None, ...]]  # standard deviations, None if none is printed
    average: tuple[float, ...] | None  # the printed last row
    no_transfer: tuple[str, ...] = ()  # columns that use labels of the domain they are tested on

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns in the order of the paper."""
        return tuple(self.column_to_method)

    def value(self, task: str, column: str) -> float:
        """Return a number as printed."""
        return self.rows[task][self.columns.index(column)]

    def accuracy(self, task: str, column: str) -> float:
        """Return the proportion of correctly labelled documents, whatever the paper prints."""
        if self.measure == "divergence":
            raise ValueError(f"{self.citation} prints divergences under {column!r}, which are no accuracies.")
        share = self.value(task, column) / self.unit
        return round(1 - share if self.measure == "error" else share, 6)

    def deviation(self, task: str, column: str) -> float | None:
        """Return the standard deviation of the accuracy; None if none is printed."""
        deviation = self.deviations[task][self.columns.index(column)]
        return None if deviation is None else round(deviation / self.unit, 6)


@dataclass(frozen=True)
class Table:
    """All there is to know about a table before it is run."""

    name: str  # name on the command line, and the first part of the names of its tasks
    position: int  # place among the tables; smaller numbers come first
    title: str  # title in lists and on pages
    tasks: tuple[Task, ...]  # the rows
    printed: tuple[PrintedTable, ...] = ()  # the tables of the paper with these tasks; empty if no paper has them
    # methods to run by default; empty for those of the paper, `PAPER_METHODS` and `REFERENCES`
    methods: tuple[str, ...] = ()
    # number of seeds for the page of results. Five draws of small samples cost less than one run at full size
    n_seeds: int = 1
    # methods with another number: those of the paper with more, forms that take minutes with fewer
    seeds: Mapping[str, int] = field(default_factory=dict)
    why: str = ""  # for the summary of the page: why numbers of the paper are not reached
    # paragraphs for the page of results: where the results are below the paper, and what was tried
    remarks: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()  # the methods of the paper: their tests against the others are shown
    n_own: int = 1  # number of methods that the paper proposes: its last columns
    # methods that count words, or all forms of an estimator: they get counts, whatever the recipe of a task is
    on_counts: tuple[str, ...] = (AS_PUBLISHED["CoCC"], AS_PUBLISHED["NMFClustering"])
    on_page: bool = True  # False: only its tasks are used, by figures, tests or other benches
    grouped: bool = False  # whether the page shows means over the tasks with the same text before ": " in their names

    def gets_counts(self, method: str) -> bool:
        """Return whether a method gets the counts of a task."""
        return method in self.on_counts or method.partition("(")[0] in self.on_counts

    def seeds_of(self, method: str) -> int:
        """Return the number of seeds of a method on the page of results."""
        return self.seeds.get(method, self.n_seeds)

    @property
    def accuracies(self) -> list[PrintedTable]:
        """The printed tables that contain accuracies or error rates."""
        return [printed for printed in self.printed if printed.measure != "divergence"]

    def default_methods(self) -> list[str]:
        """Return the methods of the paper in its order, then the methods of the five papers and two references.

        The columns of the paper also have the form of the paper, if our default differs from it.
        """
        if self.methods:
            return list(self.methods)
        columns = [method for printed in self.accuracies for method in printed.column_to_method.values() if method]
        both = [form for method in columns for form in (method, AS_PUBLISHED.get(method, method))]
        ablations = [form for method in self.tested for form in ABLATIONS.get(method, ())]
        return list(dict.fromkeys((*both, *ablations, *PAPER_METHODS, *REFERENCES)))

    def printed_column(self, method: str) -> str | None:
        """Return the last column of the paper with this method (CDSC prints its SVM twice), in either form."""
        columns = [
            column
            for printed in self.accuracies
            for column, name in printed.column_to_method.items()
            if name and AS_PUBLISHED.get(name, name) == AS_PUBLISHED.get(method, method)
        ]
        return columns[-1] if columns else None

    @staticmethod
    def name_of(method: str) -> str:
        """Return a short name of a method in the form of its paper; other methods are their own name."""
        if method in RSP_NAMES | SHORT_NAMES:
            return (RSP_NAMES | SHORT_NAMES)[method]
        default = next((ours for ours, published in AS_PUBLISHED.items() if published == method), None)
        return method if default is None else f"{default.partition('(')[0]}, as published"

    def printed_row(self, row: str) -> PrintedTable | None:
        """Return the printed table that has this row."""
        return next((printed for printed in self.accuracies if row in printed.rows), None)


def read_printed(
    citation: str,
    *,
    measure: Measure,
    unit: float,
    column_to_method: dict[str, str | None],
    text: str,
    tasks: Sequence[str] = (),
    no_transfer: tuple[str, ...] = (),
) -> PrintedTable:
    """Read a table as it is printed.

    `text`: one line per task: its name, then one number per column, `0.99` or `0.99±0.01`. The line "average" is
    not a task and is kept separately.
    `tasks`: if given, the table is transposed: one line per method in the order of `column_to_method`, one column
    per task.
    """
    heads = list(tasks or column_to_method)
    lines = [line.rsplit(maxsplit=len(heads)) for line in text.strip().splitlines()]
    cells = {line[0].strip(): [cell.partition("±")[::2] for cell in line[1:]] for line in lines}
    if tasks:
        cells = {task: [cells[column][i] for column in column_to_method] for i, task in enumerate(tasks)}
    values = {task: tuple(float(value) for value, _ in row) for task, row in cells.items()}
    deviations = {task: tuple(float(sd) if sd else None for _, sd in row) for task, row in cells.items()}
    average = values.pop("average", None)
    return PrintedTable(citation, measure, unit, column_to_method, values, deviations, average, no_transfer)
