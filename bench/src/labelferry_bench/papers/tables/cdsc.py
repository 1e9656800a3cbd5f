"""CDSC, Table 2: 250 documents per class and domain, drawn by seed; tf-idf of words in three documents or more.

The tasks are those of its Table 1. The Reuters tasks use the ready-made matrices. Documents with fewer than three words
are dropped. The paper stems its words; here they are not stemmed.
"""

from __future__ import annotations

from functools import partial

from ..builders import REUTERS_PAIRS, SHORT_DROPPED, newsgroups_task, reuters_task, sraa_task
from ..splits import TwoDomains, by_groups, exactly, same_classes
from ..table import Table, read_printed

# CDSC's Table 1, newsgroups: (source, target) of each class.
CDSC_TABLE_1: dict[str, TwoDomains] = {
    "rec vs talk": {
        "rec": (("rec.autos", "rec.motorcycles"), ("rec.sport.baseball", "rec.sport.hockey")),
        "talk": (("talk.politics.guns", "talk.politics.misc"), ("talk.politics.mideast", "talk.religion.misc")),
    },
    "rec vs sci": {
        "rec": (("rec.autos", "rec.sport.baseball"), ("rec.motorcycles", "rec.sport.hockey")),
        "sci": (("sci.med", "sci.space"), ("sci.crypt", "sci.electronics")),
    },
    "comp vs talk": {
        "comp": (
            ("comp.graphics", "comp.windows.x", "comp.sys.mac.hardware"),
            ("comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware"),
        ),
        "talk": (("talk.politics.mideast", "talk.religion.misc"), ("talk.politics.guns", "talk.politics.misc")),
    },
    "comp vs sci": {
        "comp": (
            ("comp.graphics", "comp.os.ms-windows.misc"),
            ("comp.sys.mac.hardware", "comp.windows.x", "comp.sys.ibm.pc.hardware"),
        ),
        "sci": (("sci.crypt", "sci.electronics"), ("sci.med", "sci.space")),
    },
    "comp vs rec": {
        "comp": (
            ("comp.graphics", "comp.sys.mac.hardware", "comp.sys.ibm.pc.hardware"),
            ("comp.os.ms-windows.misc", "comp.windows.x"),
        ),
        "rec": (("rec.motorcycles", "rec.sport.hockey"), ("rec.autos", "rec.sport.baseball")),
    },
    "sci vs talk": {
        "sci": (("sci.electronics", "sci.med"), ("sci.crypt", "sci.space")),
        "talk": (("talk.politics.misc", "talk.religion.misc"), ("talk.politics.guns", "talk.politics.mideast")),
    },
}
# CDSC's Table 1, SRAA. Its text (section 4.1.3) has real vs simulated the other way round, and so has TCL's Table 1.
CDSC_SRAA: dict[str, TwoDomains] = {
    "real vs simulated": {
        "real": (("realaviation",), ("realauto",)),
        "simulated": (("simaviation",), ("simauto",)),
    },
    "auto vs aviation": {"auto": (("simauto",), ("realauto",)), "aviation": (("simaviation",), ("realaviation",))},
}
DRAW_250 = partial(exactly, n=250)

TABLE = Table(
    name="cdsc",
    position=10,
    title="CDSC, Table 2",
    tasks=(
        *(
            sraa_task(
                f"cdsc/{name}",
                split=partial(by_groups, parts=same_classes(classes), draw=DRAW_250),
                recipe=SHORT_DROPPED,
                sampled=True,
            )
            for name, classes in CDSC_SRAA.items()
        ),
        *(
            newsgroups_task(
                f"cdsc/{name}",
                split=partial(by_groups, parts=same_classes(classes), draw=DRAW_250),
                recipe=SHORT_DROPPED,
                sampled=True,
            )
            for name, classes in CDSC_TABLE_1.items()
        ),
        *(reuters_task(f"cdsc/{pair}", pair, draw=DRAW_250) for pair in REUTERS_PAIRS),
    ),
    printed=(
        read_printed(
            "Ling, Dai, Xue, Yang and Yu, Spectral Domain-Transfer Learning, KDD 2008, Table 2",
            measure="error",
            unit=1.0,
            # Cross-validation within the source or within the target is not a transfer.
            column_to_method={
                "Din-Dout": "SourceSVM",
                "Dout-CV": None,
                "Din-CV": None,
                "SVM": "SourceSVM",
                "TSVM": "TSVM",
                "SGT": "SGT",
                "SC": "SpectralClassifier",
                "CoCC": "CoCC",
                "KDE": "KDEWeighting",
                "CDSC": "CDSC",
            },
            no_transfer=("Din-CV", "Dout-CV"),
            text="""
            real vs simulated  0.330 0.032 0.030 0.330 0.316 0.276 0.278 0.250 0.330 0.188
            auto vs aviation   0.252 0.033 0.048 0.252 0.188 0.208 0.160 0.142 0.248 0.120
            comp vs sci        0.380 0.012 0.016 0.380 0.334 0.428 0.270 0.192 0.380 0.098
            rec vs talk        0.316 0.003 0.002 0.316 0.118 0.190 0.428 0.092 0.324 0.092
            rec vs sci         0.234 0.007 0.003 0.234 0.162 0.160 0.192 0.160 0.234 0.124
            sci vs talk        0.198 0.009 0.006 0.198 0.148 0.114 0.362 0.100 0.194 0.044
            comp vs rec        0.142 0.008 0.003 0.142 0.104 0.044 0.086 0.090 0.142 0.042
            comp vs talk       0.098 0.005 0.005 0.098 0.024 0.030 0.042 0.042 0.100 0.024
            orgs vs people     0.306 0.106 0.020 0.306 0.294 0.288 0.276 0.232 0.298 0.232
            orgs vs places     0.428 0.085 0.093 0.428 0.424 0.456 0.386 0.400 0.418 0.318
            people vs places   0.262 0.113 0.017 0.262 0.256 0.216 0.230 0.226 0.262 0.202
            average            0.268 0.038 0.022 0.268 0.215 0.219 0.246 0.175 0.266 0.135
            """,
        ),
    ),
    n_seeds=5,
    why="people vs places: 172 of its 1,077 target rows are also source rows, with another label. As published: k = 6, "
    "which is best in print, fails here with every text preparation",
    tested=("CDSC",),
    remarks=(
        "CDSC is best in print. Here TCL, EMNaiveBayes and CoCC are 2 to 3 points above it, GCMF and "
        "HybridLabelPropagation about one. Its error on the six newsgroup tasks is .069, in print .071 (one draw: "
        ".063, and .076 with scikit-learn's idf, table `cdsc-text`). With k and lambda chosen by the normalized cut "
        "of the target, without labels, it is .062 on the six and .275 on Reuters.",
        "Below the paper are comp vs rec (2 points), sci vs talk (6; 2 with the cut) and people vs places. As "
        "published, with k = 6, the newsgroup tasks are 8 points below. Tried were two to ten eigenvectors, lambda "
        "from 0 to 1, three weights of the regularization, [sixteen text "
        "preparations](#cdscs-newsgroup-tasks-under-sixteen-text-preparations), and the Reuters tasks [rebuilt from "
        "the texts](#cdscs-reuters-tasks-rebuilt-from-the-texts). Why k = 6 fails is not known.",
        "On people vs places every method is far below the printed numbers, the SVM by 12 points. In the ready-made "
        "matrices 193 of the 1,077 target rows of that task are also rows of the source, 172 of them with another "
        "label. Without these rows, and with all documents, CDSC has 79.0, 79.8 in print (table *Reuters, without "
        "target rows that also occur in the source*): the sample of the paper probably has fewer of them.",
        "Ablation: lambda = 0 with the same k = 3. As published, SVM has the default C of SVM-light, CoCC is one "
        "start on counts, and SC has the nearest neighbor of its paper. SC is then far below print: without the "
        "added constant its eigenvectors find outliers.",
        "More than 5 points above the paper: all six rivals on comp vs sci and orgs vs places (7 to 18 points); "
        "SVM, SGT, CoCC, KDE and CDSC on rec vs talk (6 to 14); TSVM, SGT, SC, CoCC and CDSC on orgs vs people (5 "
        "to 10); SGT and CoCC on rec vs sci (10). TSVM as published is nearer, but still 6 to 14 above on three "
        "tasks.",
    ),
)
