"""RSP, Tables 3 and 4: at most 1,500 documents per class and domain, drawn by seed; images: all.

The tasks are those of its Tables 1 and 2. Texts: tf-idf of words in three documents or more; documents with fewer than
three words are dropped. Images: square roots of counts of visual words, rows of unit length. The paper draws "around
1,500" documents per class; many newsgroups, and all of Reuters' classes, have fewer. The measure is the purity of the
clusters. Only RSP's own column has deviations.
"""

from __future__ import annotations

from functools import partial

from ...datasets import caltech256, newsgroups, reuters
from .. import pools
from ..builders import IMAGES, clusters_task, one_group_per_class
from ..splits import (
    OneDomain,
    at_most,
    by_groups,
    orgs_people_from,
    orgs_people_from_three,
    other_classes,
    reuters_pair,
)
from ..table import FULL_T, NO_T, OURS, RSP_METHODS, Table, read_printed
from .cdsc import CDSC_TABLE_1

PAPER = "Shi, Fan, Yang and Ren, Relaxed Transfer of Different Classes via Spectral Partition, ECML PKDD 2009"
# RSP's Table 1, newsgroups. For Comp and Rec the paper refers to CoCC's, whose tasks CDSC takes over: in this split
# "Graphics" and "Hardware", which are sources of the second task, are not in the target.
RSP_COMP_REC: OneDomain = {label: target for label, (_, target) in CDSC_TABLE_1["comp vs rec"].items()}
RSP_TABLE_1: dict[str, OneDomain] = {
    "comp + rec": {label: source for label, (source, _) in CDSC_TABLE_1["comp vs rec"].items()},
    "graphics + hardware + mideast + religion": {
        "graphics": ("comp.graphics",),
        "hardware": ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
        "mideast": ("talk.politics.mideast",),
        "religion": ("talk.religion.misc",),
    },
    "crypt + med + guns": {"crypt": ("sci.crypt",), "med": ("sci.med",), "guns": ("talk.politics.guns",)},
}
# RSP's Table 2: targets, and their sources. Each class is one category of Caltech-256.
RSP_TABLE_2 = {
    "homer-simpson vs bear": (
        "superman + teddy-bear",
        "cartman + palm-tree + teddy-bear",
        "laptop + pram + keyboard + soccer",
    ),
    "cartman vs palm-tree": (
        "superman + bonsai",
        "homer-simpson + bonsai + bear",
        "laptop + pram + keyboard + umbrella",
    ),
}

TABLE = Table(
    name="rsp",
    position=30,
    title="RSP, Tables 3 and 4",
    tasks=(
        *(
            clusters_task(
                f"rsp/comp vs rec from {name}",
                corpora=(newsgroups.SOURCE,),
                pool=pools.newsgroups,
                split=partial(by_groups, parts=other_classes(source, RSP_COMP_REC), draw=partial(at_most, n=1500)),
                same_classes=set(source) == set(RSP_COMP_REC),
            )
            for name, source in RSP_TABLE_1.items()
        ),
        clusters_task(
            "rsp/orgs vs people from orgs + people",
            corpora=(reuters.SOURCE,),
            pool=pools.reuters,
            split=partial(reuters_pair, pair="orgs vs people"),
        ),
        clusters_task(
            "rsp/orgs vs people from places + people + orgs",
            corpora=(reuters.SOURCE,),
            pool=pools.reuters,
            split=orgs_people_from_three,
            same_classes=False,
        ),
        clusters_task(
            "rsp/orgs vs people from crypt + med + guns",
            corpora=(reuters.SOURCE, newsgroups.SOURCE),
            pool=pools.reuters_and_newsgroups,
            split=partial(orgs_people_from, source=RSP_TABLE_1["crypt + med + guns"], n=1500),
            same_classes=False,
        ),
        *(
            clusters_task(
                f"rsp/{target} from {source}",
                corpora=(caltech256.SOURCE,),
                pool=partial(pools.caltech256, classes=(*source.split(" + "), *target.split(" vs "))),
                split=partial(by_groups, parts=one_group_per_class(source, target)),
                recipe=IMAGES,
                same_classes=False,
                sampled=False,
            )
            for target, sources in RSP_TABLE_2.items()
            for source in sources
        ),
    ),
    printed=(
        read_printed(
            f"{PAPER}, Table 3",
            measure="accuracy",
            unit=1.0,
            column_to_method={
                "Full-T": FULL_T,
                "No-T": NO_T,
                "RSP": OURS,
            },
            text="""
            comp vs rec from comp + rec                                0.99 0.74 0.99±0.00
            comp vs rec from graphics + hardware + mideast + religion  0.94 0.74 0.98±0.01
            comp vs rec from crypt + med + guns                        0.51 0.74 0.74±0.03
            orgs vs people from orgs + people                          0.80 0.65 0.80±0.00
            orgs vs people from places + people + orgs                 0.73 0.65 0.78±0.02
            orgs vs people from crypt + med + guns                     0.56 0.65 0.65±0.06
            """,
        ),
        read_printed(
            f"{PAPER}, Table 3",
            measure="divergence",
            unit=1.0,
            column_to_method={
                "KLt": None,
                "KLc": None,
            },
            text="""
            comp vs rec from comp + rec                                0.21 0.37
            comp vs rec from graphics + hardware + mideast + religion  0.01 1.17
            comp vs rec from crypt + med + guns                        0.05 21.4
            orgs vs people from orgs + people                          0.11 0.24
            orgs vs people from places + people + orgs                 0.05 0.51
            orgs vs people from crypt + med + guns                     0.21 26.5
            """,
        ),
        # Table 4 calls the second target "Cartman VS. Fern", Table 2, which lists the data, "Cartman VS. Palmtree". The
        # name is that of Table 2, as is Umbrella in the last source: both tables shorten it to "Laptop, etc".
        read_printed(
            f"{PAPER}, Table 4",
            measure="accuracy",
            unit=1.0,
            column_to_method={
                "Full-T": FULL_T,
                "No-T": NO_T,
                "RSP": OURS,
            },
            text="""
            homer-simpson vs bear from superman + teddy-bear               0.85 0.72 0.85±0.02
            homer-simpson vs bear from cartman + palm-tree + teddy-bear    0.81 0.72 0.81±0.01
            homer-simpson vs bear from laptop + pram + keyboard + soccer   0.53 0.72 0.72±0.01
            cartman vs palm-tree from superman + bonsai                    0.87 0.55 0.87±0.00
            cartman vs palm-tree from homer-simpson + bonsai + bear        0.92 0.55 0.92±0.01
            cartman vs palm-tree from laptop + pram + keyboard + umbrella  0.61 0.55 0.68±0.01
            """,
        ),
        read_printed(
            f"{PAPER}, Table 4",
            measure="divergence",
            unit=1.0,
            column_to_method={
                "KLt": None,
                "KLc": None,
            },
            text="""
            homer-simpson vs bear from superman + teddy-bear               0.62 0.17
            homer-simpson vs bear from cartman + palm-tree + teddy-bear    0.88 0.29
            homer-simpson vs bear from laptop + pram + keyboard + soccer   0.11 10.3
            cartman vs palm-tree from superman + bonsai                    0.12 0.07
            cartman vs palm-tree from homer-simpson + bonsai + bear        0.43 0.55
            cartman vs palm-tree from laptop + pram + keyboard + umbrella  0.54 1.58
            """,
        ),
    ),
    methods=RSP_METHODS,
    n_seeds=5,
    why="the paper does not print the groups of its classes; No-T is 20 points above print, so there is little to gain",
    tested=(OURS,),
    remarks=(
        "The measure is purity, as in the paper. All targets have two classes and are divided into two clusters. "
        "The documents and the words of a target do not depend on the source, so No-T is one number per target. The "
        "paper has means over ten runs; here they are five draws.",
        "One of the paper's two claims holds: an unrelated source does harm (orgs vs people from crypt + med + "
        "guns: Full-T 61.7, No-T 84.6), and RSP avoids it (84.6). That related sources help is not shown: on "
        "Reuters the first two give RSP about 2 points over No-T, from one draw of five, and no task is "
        "significant. On newsgroups No-T is at 95, in print at 74, so there is nothing to gain: Full-T loses 1 to 9 "
        "points, RSP none.",
        "No-T is better than in print because a constant is added to all similarities or, as published, documents "
        "are joined into micro-clusters: without either, outliers determine the eigenvectors on comp vs rec (purity "
        ".51).",
        "As published, with the risk (6) and micro-clusters, the mean is the same. KL_c is larger for the unrelated "
        "sources, as in the paper, but 3 to 16 times the printed value for the related ones. Without the "
        "pseudo-count (`pseudo_count=0`, the printed formula) it is infinite for related and unrelated sources (two "
        "draws), so R = 1 and nothing is transferred: how the paper gets finite values is not known. The row as "
        "published keeps the pseudo-count. The paper does not print the groups of Comp_1, Rec_1 and of the Reuters "
        "classes; those of CDSC are used.",
        "Ablation: the row R = 1/2 fixes the risk. As published, R is the formula of the paper; RSP chooses between "
        "R = 0 (Full-T) and the target alone (No-T).",
    ),
)
