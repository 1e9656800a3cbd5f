"""GCMF, Table 3: the newsgroup tasks of its Table 2 and the ready-made Reuters matrices, all documents.

tf-idf of words in three documents or more; of Reuters all words.
"""

from __future__ import annotations

from functools import partial

from ..builders import REUTERS_PAIRS, TFIDF, newsgroups_task, reuters_task
from ..splits import TwoDomains, by_groups, pairs, same_classes
from ..table import AS_PUBLISHED, PLAIN_LR, Table, read_printed

# GCMF's Table 2, and TCL's Table 1: groups A are the source, groups B the target.
GCMF_TABLE_2: TwoDomains = {
    "comp": (
        ("comp.graphics", "comp.os.ms-windows.misc"),
        ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    ),
    "rec": (("rec.autos", "rec.motorcycles"), ("rec.sport.baseball", "rec.sport.hockey")),
    "sci": (("sci.crypt", "sci.electronics"), ("sci.med", "sci.space")),
    "talk": (("talk.politics.guns", "talk.politics.mideast"), ("talk.politics.misc", "talk.religion.misc")),
}

TABLE = Table(
    name="gcmf",
    position=40,
    title="GCMF, Table 3",
    tasks=(
        *(
            newsgroups_task(f"gcmf/{name}", split=partial(by_groups, parts=same_classes(classes)), recipe=TFIDF)
            for name, classes in pairs(GCMF_TABLE_2).items()
        ),
        *(reuters_task(f"gcmf/{pair}", pair) for pair in REUTERS_PAIRS),
    ),
    printed=(
        # The paper prints "orgs vs place" and "people vs place"; the rows have the names of the tasks.
        read_printed(
            "Long, Wang, Ding, Shen and Yang, Transfer Learning with Graph Co-Regularization, AAAI 2012, Table 3",
            measure="accuracy",
            unit=100.0,
            column_to_method={
                "NMF": "NMFClustering",
                "LG": PLAIN_LR,
                "SVM": "SourceSVM",
                "TSVM": "TSVM",
                "MTrick": "MTrick",
                "DKT": "DKT",
                "GCMF": "GCMF",
            },
            text="""
            comp vs rec       79.11 81.71 81.04 82.23 86.75 85.83 92.36±0.00
            comp vs sci       65.88 67.89 64.95 69.75 95.27 92.44 96.75±0.01
            comp vs talk      56.62 93.05 89.42 95.37 98.08 98.04 98.11±0.00
            rec vs sci        75.10 67.22 67.44 70.86 73.74 70.48 85.84±0.01
            rec vs talk       58.80 65.95 65.29 67.84 72.15 68.96 88.61±0.07
            sci vs talk       61.75 78.42 73.76 80.22 90.08 91.28 94.35±0.39
            orgs vs people    63.29 74.25 74.88 73.80 80.96 81.46 85.48±0.04
            orgs vs places    72.63 69.99 71.89 69.89 76.41 76.70 77.82±0.13
            people vs places  60.49 59.05 58.06 58.43 67.87 66.11 68.69±0.13
            average           65.96 73.06 71.86 74.27 82.37 81.26 87.56±0.09
            """,
        ),
    ),
    n_seeds=3,
    seeds={"GCMF": 10, AS_PUBLISHED["GCMF"]: 10},
    why="newsgroups: up to 12 points above print, not known why. As published: on two Reuters tasks the accuracy falls "
    "after 40 iterations",
    tested=("GCMF",),
    remarks=(
        "GCMF is best on all tasks in print. Here it has the best mean of the methods of the paper; TCL and "
        "EMNaiveBayes are level with it. The paper has ten runs of each method; here GCMF has ten starts, which "
        "differ in a few labels only, and its rivals three, or one if they have no random start. EMNaiveBayes, a "
        "method of the year 2000, is above all published numbers on five of the six newsgroup tasks.",
        "As published, with 100 iterations, GCMF is 9.5 points below print on orgs vs places and 3.9 on people vs "
        "places ([by iteration](methods/gcmf.md#the-number-of-iterations)). The paper reports at most 100 seconds "
        "with k = 64; here GCMF as published takes 5 to 20 CPU seconds on the newsgroup tasks, on newer machines.",
        "Ablations: the graph of the documents alone (gamma) has 91.4, both graphs 91.1, none 88.8, and the graph "
        "of the words alone (lambda) 77.9. The paper's claim that both together are better is not confirmed here.",
        "More than 5 points above the paper: NMFClustering on tf-idf (on counts with one start, as published, the "
        "mean is near that of print, but not the tasks: 25 points above to 35 below); TSVM on eight tasks (as "
        "published four); MTrick, DKT and GCMF on comp vs rec, rec vs sci and rec vs talk; SVM and SourceLR on rec vs "
        "talk (14 and 15 points; 5 to 6 on one or two other tasks). The reason is not known. DKT is reconstructed from "
        "what other papers write about it.",
    ),
)
