"""What the tasks are made of: the papers' tables of data, as data."""

from __future__ import annotations

import itertools

Groups = tuple[str, ...]
OneDomain = dict[str, Groups]  # of each class
TwoDomains = dict[str, tuple[Groups, Groups]]  # source and target of each class

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
TCL_SRAA: dict[str, TwoDomains] = {
    "auto vs aviation": CDSC_SRAA["auto vs aviation"],
    "real vs simulated": {
        label: (source, target) for label, (target, source) in CDSC_SRAA["real vs simulated"].items()
    },
}
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
# Table 3 of the hybrid graph's paper: as GCMF's but for sci, and for talk, which has one group in the target.
HYBRID_TABLE_3: TwoDomains = GCMF_TABLE_2 | {
    "sci": (("sci.crypt", "sci.med"), ("sci.electronics", "sci.space")),
    "talk": (("talk.politics.guns", "talk.politics.mideast"), ("talk.politics.misc",)),
}
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
# Ours, in the manner of Table 2, on the Caltech images of Office-Caltech10: sources of two and three classes that are
# meant to resemble the target's, and of four that are not.
OFFICE = {
    "laptop vs mug": (
        "monitor + headphones",
        "keyboard + monitor + headphones",
        "back_pack + bike + mouse + projector",
    ),
    "keyboard vs bike": (
        "calculator + back_pack",
        "calculator + laptop + back_pack",
        "headphones + monitor + mug + projector",
    ),
}


def pairs(classes: TwoDomains) -> dict[str, TwoDomains]:
    """One task for each two of the classes."""
    return {f"{a} vs {b}": {a: classes[a], b: classes[b]} for a, b in itertools.combinations(classes, 2)}
