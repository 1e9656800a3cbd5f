import numpy as np
import pytest

from labelferry_bench.datasets import Corpus, load_reuters, orgs_people_places
from labelferry_bench.datasets.reuters_tasks import PAIRS


def index(rows):
    """A corpus that has only its hierarchies; one dict per story."""
    fields = {}
    for name in ("orgs", "people", "places"):
        fields[name] = np.empty(len(rows), dtype=object)
        fields[name][:] = [tuple(row.get(name, ())) for row in rows]
    return Corpus("reuters", [""] * len(rows), fields)


ORGS = [{"orgs": [name], "places": ["uk"]} for name in ["ec"] * 6 + ["imf"] * 4 + ["opec"] * 2]
PEOPLE = [{"people": [name], "places": ["usa"]} for name in ["lawson"] * 5 + ["poehl"] * 5]
PLACES = [{"places": [name]} for name in ["uk"] * 20 + ["japan"] * 20]


def names(corpus, rows, field):
    return {name for row in rows for name in corpus.fields[field][row]}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("seed", [0, 1])
def test_halves_have_different_subcategories(pair, seed):
    corpus = index([*ORGS, *PEOPLE, *PLACES])
    source, ys, target, yt = orgs_people_places(corpus, pair, seed)
    assert not set(source) & set(target)
    for name in pair.split(" vs "):
        s, t = source[ys == name], target[yt == name]
        assert not names(corpus, s, name) & names(corpus, t, name)
        expected = {"orgs": 6, "people": 5}.get(name)  # as many places as of the other class
        assert len(s) == len(t) == (expected or len(source) / 2)


def test_the_class_of_a_story():
    odd = [
        {"orgs": ["ec", "imf"]},  # of both halves
        {"orgs": ["imf", "opec"]},  # of one half
        {"orgs": ["ec"], "people": ["lawson"]},  # of both classes
        {"places": ["uk", "usa"]},  # of the USA
        {"places": ["usa"]},
        {},
    ]
    corpus = index([*odd, *ORGS, *PEOPLE, *PLACES])
    source, ys, target, yt = orgs_people_places(corpus, "orgs vs people")
    assert {0, 2} & {*source, *target} == set()
    assert 1 in {*source[ys == "orgs"], *target[yt == "orgs"]}
    source, _, target, _ = orgs_people_places(corpus, "orgs vs places")
    assert {3, 4, 5} & {*source, *target} == set()


def test_the_seed_selects_the_halves():
    corpus = index([*ORGS, *PEOPLE, *PLACES])
    draws = [orgs_people_places(corpus, "people vs places", seed) for seed in (3, 3, 4, 5, 6)]
    assert all((a == b).all() for a, b in zip(draws[0], draws[1], strict=True))
    assert len({tuple(draw[0]) for draw in draws}) > 1
    people = {tuple(source[ys == "people"]) for source, ys, _, _ in draws}
    assert len(people) == 2  # each half is the source for some seed


def test_wrong_pair():
    with pytest.raises(ValueError, match=r"pair must be one of 'orgs vs people', .*; got 'orgs vs topics'"):
        orgs_people_places(index([]), "orgs vs topics")


def test_sizes_on_the_corpus(corpus):
    stories = load_reuters(corpus("reuters21578/reuters21578.tar.gz"))
    expected = {"orgs vs people": (783, 836), "orgs vs places": (672, 722), "people vs places": (910, 938)}
    for pair, sizes in expected.items():
        source, ys, target, yt = orgs_people_places(stories, pair)
        assert (len(source), len(target)) == sizes == (len(ys), len(yt))
        assert not set(source) & set(target)
        for name in pair.split(" vs "):
            halves = (names(stories, source[ys == name], name), names(stories, target[yt == name], name))
            assert not halves[0] & halves[1]
            assert "usa" not in halves[0] | halves[1]
