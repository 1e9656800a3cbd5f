"""Settings of the gallery: an example is run if its corpus is available, else it is shown without output."""

import re
from pathlib import Path

from labelferry_bench.datasets import CorpusNotFound, load_amazon, load_newsgroups

CORPORA = {"newsgroups.py": load_newsgroups, "when_it_fails.py": load_amazon}


def is_available(example: Path) -> bool:
    try:
        CORPORA.get(example.name, lambda: None)()
    except CorpusNotFound:
        return False
    return True


examples = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
names = [re.escape(example.name) for example in examples if is_available(example)]
conf = {
    "filename_pattern": f"({'|'.join(names)})$",
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_", "__repr__"),
    "image_scrapers": (),
    "remove_config_comments": True,
    "download_all_examples": False,
    "run_stale_examples": True,  # the library may have changed
    "show_memory": False,
    "min_reported_time": 1e9,
}
