"""TCL, Table 2: the tasks of its Table 1, all documents; of SRAA at most 3,000 per group, drawn by seed.

tf-idf of words in 15 documents of the corpus or more. SRAA: in 10 or more, and only articles of 20 words or more are
drawn. Reuters: the ready-made matrices. The paper's newsgroups have 13,781 words; ours have 13,541, with headers they
had 14,354. Its SRAA has "around 3,000" documents per group, and 13,472 in all.
"""

from __future__ import annotations

from functools import partial

from ..builders import REUTERS_PAIRS, newsgroups_task, reuters_task, sraa_task
from ..splits import TwoDomains, at_most, by_groups, pairs, same_classes
from ..table import AS_PUBLISHED, PLAIN_LR, Table, read_printed
from ..task import Recipe
from .cdsc import CDSC_SRAA
from .gcmf import GCMF_TABLE_2

TCL_SRAA: dict[str, TwoDomains] = {
    "auto vs aviation": CDSC_SRAA["auto vs aviation"],
    "real vs simulated": {
        label: (source, target) for label, (target, source) in CDSC_SRAA["real vs simulated"].items()
    },
}

TABLE = Table(
    name="tcl",
    position=50,
    title="TCL, Table 2",
    tasks=(
        *(
            sraa_task(
                f"tcl/{name}",
                split=partial(by_groups, parts=same_classes(classes), draw=partial(at_most, n=3000), min_length=20),
                recipe=Recipe(min_df=10, over="corpus", idf="plain"),
                sampled=True,
            )
            for name, classes in TCL_SRAA.items()
        ),
        *(
            newsgroups_task(
                f"tcl/{name}",
                split=partial(by_groups, parts=same_classes(classes)),
                recipe=Recipe(min_df=15, over="corpus", idf="plain"),
            )
            for name, classes in pairs(GCMF_TABLE_2).items()
        ),
        *(reuters_task(f"tcl/{pair}", pair) for pair in REUTERS_PAIRS),
    ),
    printed=(
        # The printed average of GCMF's column is 89.05, the mean of its numbers 89.02. All others agree.
        # The paper prints "org vs. people", "org vs places" and "real vs. sim".
        read_printed(
            "Chen and Zhang, Domain Adaptation with Topical Correspondence Learning, IJCAI 2013, Table 2",
            measure="accuracy",
            unit=100.0,
            column_to_method={
                "SVM": "SourceSVM",
                "LR": PLAIN_LR,
                "mSDA": "MSDA",
                "NMTF": "NMTF",
                "DTL": "DTL",
                "GCMF": "GCMF",
                "TCL": "TCL",
            },
            text="""
            auto vs aviation   77.54 80.46 85.35 94.50±0.82 95.34±0.51 94.64±0.02 97.03±0.30
            real vs simulated  75.59 75.42 79.97 93.54±0.53 93.85±0.35 94.55±0.12 95.12±0.14
            comp vs rec        85.27 87.24 87.99 98.28±0.01 98.25±0.03 98.28±0.00 98.27±0.02
            comp vs sci        70.81 71.12 79.50 87.00±0.55 89.63±0.44 95.30±0.01 97.34±0.21
            comp vs talk       95.63 95.93 96.32 86.42±0.49 91.92±0.33 92.60±0.00 97.18±0.65
            rec vs sci         68.38 68.48 74.09 91.79±0.37 94.77±0.34 95.76±0.03 97.91±0.44
            rec vs talk        71.05 72.97 69.55 79.39±0.92 89.24±0.95 96.42±0.10 97.91±0.10
            sci vs talk        75.99 77.94 79.13 73.29±7.82 85.72±5.11 92.29±0.21 94.63±0.28
            orgs vs people     71.85 73.18 76.82 66.58±0.21 76.49±0.82 80.50±0.00 84.32±0.09
            orgs vs places     70.28 70.47 71.52 72.87±0.11 72.79±0.18 74.31±0.02 78.24±0.42
            people vs places   57.10 63.05 61.47 67.80±1.01 68.44±0.90 64.53±0.00 70.47±0.31
            average            74.50 76.02 78.34 82.86      86.95      89.05      91.67
            """,
        ),
    ),
    n_seeds=10,
    why="not known. As published: how the paper cross-validates is not known, and on orgs vs people four of ten starts "
    "are far below the others",
    seeds={"MSDA": 1, AS_PUBLISHED["MSDA"]: 1},  # MSDA draws blocks of words only
    tested=("TCL",),
    remarks=(
        "TCL is best on ten of eleven tasks in print. Here its mean is that of the paper within a tenth of a point "
        "(newsgroups above, Reuters 1.4 below), and GCMF is level with it. Below the paper by more than a point: "
        "orgs vs people and orgs vs places. Without the rows that occur in source and target with different labels, "
        "people vs places is far higher (table *Reuters, without target rows that also occur in the source*).",
        "The default divides every word by the root of its sum and has alpha = .7. As published, the words are as "
        "given, alpha and C are cross-validated, and the factors are normalized once per cycle. The mean is then "
        "1.6 points below print; on orgs vs people six of ten starts are within 1.7 points of print, and four are "
        "5.7 below. How the paper splits the source for the cross-validation is not known.",
        "Ablations: U only (alpha = 1) and W only (alpha = 0) are about 1.5 and .8 points below the whole; DTL, "
        "with separate H for common and domain-specific topics and without the weighting of words, is about 2.5 "
        "below (TCL without this weighting: .8). The paper reports about 30 seconds on its largest task; here TCL "
        "takes about one CPU second on its largest, and as published, with the cross-validation, 4 to 12, on "
        "newer machines.",
        "MSDA as published (p and C by cross-validation) is within two points of print on Reuters. On newsgroups it "
        "is 6, 16 and 10 points below on comp vs rec, comp vs sci and rec vs sci, and 1 to 4 above on the other "
        "three; the default, with a smaller C, is above the paper on all six.",
        "More than 5 points above the paper: NMTF on five tasks, DTL on four (as published three), MSDA on four, "
        "GCMF on orgs vs places, SVM and SourceLR on rec vs talk, and SVM on orgs vs people. GCMF as published is 6 "
        "below on orgs vs places. DTL is written from the problem that this paper quotes.",
    ),
)
