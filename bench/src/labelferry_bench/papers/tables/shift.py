"""The six newsgroup tasks of gcmf with uneven targets: 9:1 or 1:9, the first class of the name to the second.

One class of the target is reduced, by seed, to a ninth of the other. tf-idf of words in three documents or more.
"""

from __future__ import annotations

from functools import partial

from ..builders import TFIDF, newsgroups_task
from ..splits import pairs, same_classes, uneven
from ..table import Table
from .gcmf import GCMF_TABLE_2

TABLE = Table(
    name="shift",
    position=60,
    title="The six newsgroup tasks, one class of the target reduced to a ninth of the other",
    tasks=tuple(
        newsgroups_task(
            f"shift/{name} {ratio}",
            split=partial(uneven, parts=same_classes(classes), cut=cut, share=1 / 9),
            recipe=TFIDF,
            sampled=True,
        )
        for name, classes in pairs(GCMF_TABLE_2).items()
        for ratio, cut in zip(("9:1", "1:9"), reversed(classes), strict=True)
    ),
    remarks=(
        "The methods of the papers expect class proportions that do not differ much between source and target: "
        "GCMF, CDSC and HybridLabelPropagation are below SourceLR here. `class_prior`, which is not in the papers, "
        "is for this case; see the docstrings.",
    ),
    on_page=False,
)
