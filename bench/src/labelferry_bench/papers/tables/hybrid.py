"""Hybrid graph, Table 4: at most 500 documents per class and domain, drawn by seed; words in three documents or more.

The tasks are those of its Table 3. The paper does not print how many documents it draws. Documents with fewer than
three words are dropped. The methods of the paper, and CoCC as published, get counts; all others tf-idf.
"""

from __future__ import annotations

from functools import partial

from ..builders import OWN_SHORT_DROPPED, newsgroups_task
from ..splits import TwoDomains, at_most, by_groups, pairs, same_classes
from ..table import Table, read_printed
from .gcmf import GCMF_TABLE_2

# Table 3 of the hybrid graph's paper: as GCMF's but for sci, and for talk, which has one group in the target.
HYBRID_TABLE_3: TwoDomains = GCMF_TABLE_2 | {
    "sci": (("sci.crypt", "sci.med"), ("sci.electronics", "sci.space")),
    "talk": (("talk.politics.guns", "talk.politics.mideast"), ("talk.politics.misc",)),
}

OWN_METHODS = ("HybridLabelPropagation", "HybridSimilarityPropagation")

TABLE = Table(
    name="hybrid",
    position=20,
    title="Hybrid graph, Table 4",
    tasks=tuple(
        newsgroups_task(
            f"hybrid/{name}",
            split=partial(by_groups, parts=same_classes(classes), draw=partial(at_most, n=500)),
            recipe=OWN_SHORT_DROPPED,
            sampled=True,
        )
        for name, classes in pairs(HYBRID_TABLE_3).items()
    ),
    printed=(
        read_printed(
            "Wang, Song and Zhang, Knowledge Transfer on Hybrid Graph, IJCAI 2009, Table 4",
            measure="accuracy",
            unit=100.0,
            column_to_method={
                "SVM": "SourceSVM",
                "LapSVM": "LapSVM",
                "TSVM": "TSVM",
                "S-Kmeans": "SphericalKMeans",
                "NCut": "NormalizedCut",
                "S-Co-C": "SpectralCoclustering",
                "IT-Co-C": "ITCC",
                "CoCC": "CoCC",
                "CDSC": "CDSC",
                "S-Co-C-LP": "HybridLabelPropagation",
                "S-Co-C-SP": "HybridSimilarityPropagation",
            },
            tasks=("comp vs rec", "comp vs sci", "comp vs talk", "rec vs sci", "rec vs talk", "sci vs talk"),
            text="""
            SVM        85.31±9.16  72.15±5.09  95.75±1.20  73.44±8.58  82.49±8.76  78.41±7.06
            LapSVM     86.23±7.50  71.78±5.05  95.40±1.24  72.60±8.09  83.01±7.90  73.81±8.85
            TSVM       91.51±2.26  80.63±4.35  96.88±0.88  86.05±5.60  92.50±2.06  86.39±4.76
            S-Kmeans   82.81±9.16  76.18±9.51  93.07±8.56  65.30±12.02 83.79±13.28 74.79±12.73
            NCut       89.44±7.30  81.88±9.18  96.08±0.74  76.15±8.34  93.86±2.16  88.69±6.65
            S-Co-C     79.21±18.39 68.56±14.84 89.96±15.91 80.59±11.42 87.26±13.79 82.99±13.87
            IT-Co-C    86.31±12.85 80.65±10.79 91.74±9.63  78.70±14.67 82.06±10.85 80.85±11.54
            CoCC       88.75±7.67  81.10±6.78  96.33±3.82  82.48±7.84  91.49±5.71  82.21±6.82
            CDSC       82.55±7.24  78.70±4.35  96.23±4.8   82.65±3.32  92.43±5.49  83.41±4.14
            S-Co-C-LP  91.94±2.72  83.59±3.67  96.97±0.88  86.41±3.62  92.96±2.13  88.20±4.35
            S-Co-C-SP  93.55±6.91  80.31±11.59 96.99±1.04  89.49±6.79  94.32±2.22  90.00±5.11
            """,
        ),
    ),
    n_seeds=20,
    on_counts=(*Table.on_counts, *OWN_METHODS),
    n_own=2,
    why="as published: the paper prints no sample size",
    tested=OWN_METHODS,
    remarks=(
        "The paper gives no sample size; here it is 500 documents per class and domain. The standard deviations of "
        "the paper, up to 18 points, are far above most of ours: its samples may be much smaller.",
        "The two methods of the paper get counts, which they weight themselves, and so does CoCC as published; all "
        "others get tf-idf. As published both have the printed mean within .3 points; by task the largest "
        "difference is that of S-Co-C-SP on rec vs sci, 6 points below. S-Co-C-SP as published is Table 2 of the "
        "paper as printed: all eigenvalues of O and Q are inverted, (4) is applied once to R, and S starts from "
        "logistic regression (footnote 2). With footnote 1 (`reinitialize='start'`) it has 86.6, with (4) in every "
        "round (`scaling='degree'`) 62.2 (five draws, `python -m benchmarks.departures "
        "HybridSimilarityPropagation`).",
        "The two methods of the paper are best in print. Here ITCC and TCL are a point above S-Co-C-LP, and CoCC, "
        "GCMF and EMNaiveBayes are level with it.",
        "Far below the paper: NormalizedCut and SpectralCoclustering on sci vs talk. The best cut of this target is "
        "not that of its classes, with any added constant; ITCC and CoCC do find them. SpectralCoclustering as "
        "published finds the classes in some draws and outliers in others (9 to 20 points "
        "below on four tasks); SphericalKMeans fails in some draws of sci vs talk. Also below: CDSC as published (18 "
        "points on the mean), LapSVM on comp vs sci (6; as published 14, and 7 on comp vs rec), SVM on rec vs sci "
        "(8; as published 10), and there TSVM as published (11).",
        "More than 5 points above the paper: most clusterings elsewhere, probably because of the larger samples and "
        "of tf-idf, and ITCC also because of 20 starts; LapSVM on comp vs rec, rec vs talk and sci vs talk, CDSC on "
        "comp vs rec and sci vs talk, TSVM on sci vs talk, and S-Co-C-LP on comp vs rec, rec vs sci and sci vs "
        "talk.",
    ),
)
