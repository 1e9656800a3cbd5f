"""Each loader, on small files of the layout that it reads and on the real ones if they are on this machine."""

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from labelferry.text import strip_headers
from labelferry_bench import datasets
from labelferry_bench.datasets import (
    Corpus,
    CorpusDamaged,
    CorpusNotFound,
    load_amazon,
    load_caltech256,
    load_newsgroups,
    load_office_caltech,
    load_reuters,
    load_reuters_crossdomain,
    load_sraa,
)

ARTICLES = {  # in the order of the loader: train, test; groups; numbers
    "20news-bydate-train/alt.atheism/9": b"From: a\n\nFirst caf\xe9.\r\n",
    "20news-bydate-train/alt.atheism/10": b"From: b\n\nSecond.\n",
    "20news-bydate-train/sci.space/7": b"From: c\n\nThird.\n",
    "20news-bydate-test/alt.atheism/3": b"From: d\n\nFourth.\n",
}


def write_folder(folder, members):
    for name, content in members.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def write_tar(path, members):
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def write_lines(path, lines):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


def same(one: Corpus, other: Corpus) -> bool:
    fields = one.fields.keys() == other.fields.keys()
    return (
        fields
        and one.texts == other.texts
        and all((one.fields[name] == other.fields[name]).all() for name in one.fields)
    )


# --- 20 Newsgroups


def as_lines(articles):
    for name, content in articles.items():
        folder, group, number = name.split("/")
        yield {"id": number, "split": folder[14:], "group": group, "text": content.decode("latin-1")}


def test_newsgroups_reads_folders_archive_and_lines_in_the_same_way(tmp_path):
    folder = load_newsgroups(write_folder(tmp_path / "folder", ARTICLES))
    assert folder.texts == [content.decode("latin-1") for content in ARTICLES.values()]
    assert list(folder.fields["group"]) == ["alt.atheism", "alt.atheism", "sci.space", "alt.atheism"]
    assert list(folder.fields["split"]) == ["train", "train", "train", "test"]
    assert list(folder.fields["id"]) == ["9", "10", "7", "3"]
    backwards = dict(reversed(ARTICLES.items()))
    assert same(folder, load_newsgroups(write_tar(tmp_path / "20news-bydate.tar.gz", backwards)))
    assert same(folder, load_newsgroups(write_lines(tmp_path / "20news-bydate.jsonl.gz", as_lines(ARTICLES))))


def test_newsgroups_download_is_saved_as_one_file(tmp_path, monkeypatch):
    calls = []

    def fetch(*, data_home, subset, shuffle):
        calls.append(subset)
        assert not shuffle
        names = [name for name in ARTICLES if f"-{subset}/" in name]
        return SimpleNamespace(
            filenames=np.array([f"{data_home}/20news_home/{name}" for name in reversed(names)]),
            data=[ARTICLES[name].decode("latin-1") for name in reversed(names)],
        )

    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", fetch)
    monkeypatch.delenv("LABELFERRY_DATA", raising=False)
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path / "cache"))
    with pytest.raises(CorpusNotFound, match="download=True"):
        load_newsgroups()
    corpus = load_newsgroups(download=True)
    assert same(corpus, load_newsgroups(write_folder(tmp_path / "folder", ARTICLES)))
    assert same(corpus, load_newsgroups(download=True))
    assert calls == ["train", "test"]
    assert [path.name for path in tmp_path.glob("cache/**/*.*")] == ["20news-bydate.jsonl.gz"]


def test_newsgroups_download_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def fetch(*, data_home, subset, shuffle):
        if subset == "test":
            raise URLError("no network")
        return SimpleNamespace(filenames=["20news-bydate-train/sci.med/1"], data=["text"])

    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", fetch)
    monkeypatch.delenv("LABELFERRY_DATA", raising=False)
    monkeypatch.setenv("LABELFERRY_CACHE", str(tmp_path))
    with pytest.raises(CorpusNotFound, match=r"(?s)failed: .*no network.*20news/20news-bydate\.tar\.gz"):
        load_newsgroups(download=True)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_newsgroups(corpus):
    news = load_newsgroups(corpus("20news/20news-bydate.jsonl.gz"))
    assert len(news.texts) == 18_846
    assert len(set(news.fields["group"])) == 20
    assert (news.fields["split"] == "train").sum() == 11_314
    assert (news.fields["split"] == "test").sum() == 7_532


def test_select():
    texts = Corpus("letters", ["a", "b", "c"], {"id": np.array([1, 2, 3])})
    assert texts.select(texts.fields["id"] != 2).texts == ["a", "c"]
    assert list(texts.select([2, 0]).fields["id"]) == [3, 1]


def test_strip_headers():
    assert strip_headers("From: a\nLines: 2\n\nOne.\n\nTwo.") == "One.\n\nTwo."
    assert strip_headers("no header, no body") == "no header, no body"
    assert strip_headers("From: a\n\n") == "From: a\n\n"


# --- Amazon


def review(title, text, rating, *ids):
    tags = [("unique_id", name) for name in ids] + [("rating", rating), ("title", title), ("review_text", text)]
    return "<review>\n" + "".join(f"<{tag}>\n{value}\n</{tag}>\n" for tag, value in tags) + "</review>\n"


REVIEWS = {
    "books/positive.review": review("Good & <b>bold</b>", "I read it\ntwice.", 5.0, "12:good:me")
    + review("Fine", "Caf\xe9.", 4.0, "0123456789", "13:fine:me"),
    "books/negative.review": review("Bad", "No.", 1.0, "14:bad:me"),
    "books/unlabeled.review": review("Who", "knows.", 3.0, "15:who:me"),
    "kitchen_&_housewares/positive.review": review("Pan", "Fries.", 5.0, "16:pan:me"),
    "kitchen_&_housewares/negative.review": review("Pot", "Leaks.", 2.0, "17:pot:me"),
}


def test_amazon_reads_folder_archive_and_lines_in_the_same_way(tmp_path):
    members = {f"sorted_data_acl/{name}": content.encode("latin-1") for name, content in REVIEWS.items()}
    folder = load_amazon(write_folder(tmp_path / "folder", members))
    assert folder.texts == [
        "Bad No.",
        "Good & <b>bold</b> I read it\ntwice.",
        "Fine Caf\xe9.",
        "Pot Leaks.",
        "Pan Fries.",
    ]
    assert list(folder.fields["domain"]) == ["books"] * 3 + ["kitchen"] * 2
    assert list(folder.fields["label"]) == ["negative", "positive", "positive", "negative", "positive"]
    assert list(folder.fields["rating"]) == [1.0, 5.0, 4.0, 2.0, 5.0]
    assert list(folder.fields["title"]) == ["Bad", "Good & <b>bold</b>", "Fine", "Pot", "Pan"]
    assert list(folder.fields["id"]) == ["14:bad:me", "12:good:me", "13:fine:me", "17:pot:me", "16:pan:me"]
    assert same(folder, load_amazon(write_tar(tmp_path / "domain_sentiment_data.tar.gz", members)))
    fields = ("domain", "label", "rating", "title")
    lines = [
        {**{name: folder.fields[name][row].item() for name in fields}, "unique_id": str(folder.fields["id"][row])}
        | {"text": folder.texts[row].removeprefix(folder.fields["title"][row])[1:]}
        for row in range(5)
    ]
    assert same(folder, load_amazon(write_lines(tmp_path / "reviews.jsonl.gz", lines)))


def test_a_review_without_a_rating_is_damage(tmp_path):
    text = REVIEWS["books/negative.review"].replace("rating", "stars")
    members = {"sorted_data_acl/books/negative.review": text.encode()}
    with pytest.raises(ValueError, match="no 'rating'"):
        load_amazon(write_tar(tmp_path / "domain_sentiment_data.tar.gz", members))


def test_amazon(corpus):
    reviews = load_amazon(corpus("amazon/reviews.jsonl.gz"))
    pairs, counts = np.unique(np.stack([reviews.fields["domain"], reviews.fields["label"]]), axis=1, return_counts=True)
    assert sorted(set(pairs[0])) == ["books", "dvd", "electronics", "kitchen"]
    assert list(counts) == [1000] * 8
    assert len(set(reviews.fields["id"])) == 8000
    assert ((reviews.fields["rating"] > 3) == (reviews.fields["label"] == "positive")).all()


# --- Reuters-21578

STORY = """<REUTERS TOPICS="YES" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="5" NEWID="{number}">
<DATE>26-FEB-1987 15:01:01.79</DATE>
<TOPICS>{topics}</TOPICS>
<PLACES>{places}</PLACES>
<PEOPLE>{people}</PEOPLE>
<ORGS>{orgs}</ORGS>
<EXCHANGES></EXCHANGES>
<COMPANIES></COMPANIES>
<UNKNOWN>
&#5;&#5;C T</UNKNOWN>
<TEXT{kind}>&#2;
{text}
&#3;</TEXT>
</REUTERS>
"""
DOCTYPE = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'


def story(number, text, kind="", split="TRAIN", **names):
    tags = {
        name: "".join(f"<D>{value}</D>" for value in names.get(name, ()))
        for name in ("topics", "places", "people", "orgs")
    }
    return STORY.format(number=number, text=text, kind=kind, split=split, **tags)


def title_and_body(title, body):
    return f"<TITLE>{title}</TITLE>\n<DATELINE>    ROME, Feb 26 - </DATELINE><BODY>{body}\n Reuter\n&#3;</BODY>"


SGML = {
    "reut2-001.sgm": DOCTYPE + story(3, "PRICES\n 1 &lt; 2", ' TYPE="UNPROC"', "NOT-USED"),
    "reut2-000.sgm": DOCTYPE
    + story(1, title_and_body("TIN &lt;T> RISES", "Tin &amp; lead."), topics=["tin"], places=["uk", "usa"], orgs=["ec"])
    + story(2, "******<TITLE>BRIEF NEWS</TITLE>Blah blah blah.", ' TYPE="BRIEF"', "TEST", people=["lawson", "poehl"]),
    "README.txt": "<REUTERS is no story here",
}


def test_reuters_reads_folder_and_archive_in_the_same_way(tmp_path):
    members = {name: content.encode("latin-1") for name, content in SGML.items()}
    loaded = load_reuters(write_folder(tmp_path / "folder", members))
    assert loaded.texts == ["TIN <T> RISES\nTin & lead.\n Reuter", "BRIEF NEWS", "PRICES\n 1 < 2"]
    assert list(loaded.fields["title"]) == ["TIN <T> RISES", "BRIEF NEWS", ""]
    assert list(loaded.fields["id"]) == ["1", "2", "3"]
    assert list(loaded.fields["split"]) == ["TRAIN", "TEST", "NOT-USED"]
    assert list(loaded.fields["topics"]) == [("tin",), (), ()]
    assert list(loaded.fields["places"]) == [("uk", "usa"), (), ()]
    assert list(loaded.fields["people"]) == [(), ("lawson", "poehl"), ()]
    assert list(loaded.fields["orgs"]) == [("ec",), (), ()]
    assert same(loaded, load_reuters(write_tar(tmp_path / "reuters21578.tar.gz", members)))


def test_an_incomplete_story_is_damage(tmp_path):
    members = {"reut2-000.sgm": SGML["reut2-000.sgm"][:-20].encode()}
    with pytest.raises(ValueError, match=r"damaged: reut2-000.sgm has 2 stories, 1 of them complete"):
        load_reuters(write_tar(tmp_path / "reuters21578.tar.gz", members))


def test_reuters(corpus):
    loaded = load_reuters(corpus("reuters21578/reuters21578.tar.gz"))
    assert len(loaded.texts) == 21_578
    for name, count in {"orgs": 881, "people": 1_156, "places": 18_798}.items():
        assert sum(map(bool, loaded.fields[name])) == count
    assert list(loaded.fields["id"]) == [str(number + 1) for number in range(21_578)]


# --- Cross-domain Reuters


def test_crossdomain_reads_what_exists(tmp_path):
    X = sp.csc_matrix([[1.0, 0, 2], [0, 3, 0]])
    for side, labels in (("src", [1, 2]), ("tar", [2, 2])):
        name = f"OrgsPeople_{side}"
        scipy.io.savemat(tmp_path / f"{name}.mat", {f"{name}_data": X, f"{name}_label": np.array([labels], np.uint8).T})
    task = load_reuters_crossdomain("orgs vs people", tmp_path)
    assert isinstance(task.Xs, sp.csr_array)
    assert (task.Xs.toarray() == X.toarray()).all()
    assert list(task.ys) == ["people", "orgs"]
    assert list(task.yt) == ["orgs", "orgs"]
    with pytest.raises(CorpusNotFound, match=r"PeoplePlaces_src\.mat"):
        load_reuters_crossdomain("people vs places", tmp_path)
    with pytest.raises(ValueError, match=r"task must be one of 'orgs vs people', .*; got 'orgs'"):
        load_reuters_crossdomain("orgs", tmp_path)


@pytest.mark.parametrize(
    ("task", "name", "source", "target", "words"),
    [
        ("orgs vs people", "OrgsPeople", {"orgs": 588, "people": 649}, {"orgs": 587, "people": 621}, 4771),
        ("orgs vs places", "OrgsPlaces", {"orgs": 588, "places": 428}, {"orgs": 587, "places": 456}, 4415),
        ("people vs places", "PeoplePlaces", {"people": 649, "places": 428}, {"people": 621, "places": 456}, 4562),
    ],
)
def test_crossdomain(corpus, task, name, source, target, words):
    loaded = load_reuters_crossdomain(task, corpus(f"reuters_crossdomain/{name}_src.mat").parent)
    for X, y, sizes in ((loaded.Xs, loaded.ys, source), (loaded.Xt, loaded.yt, target)):
        assert X.shape == (sum(sizes.values()), words)
        assert dict(zip(*np.unique(y, return_counts=True), strict=True)) == sizes


# --- SRAA


def test_sraa_reads_folder_and_archive_in_the_same_way(tmp_path):
    members = {
        f"{group}/{number}": f"{group} {number} caf\xe9".encode("latin-1")
        for group in ("realauto", "realaviation", "simauto", "simaviation")
        for number in (2, 11)
    }
    loaded = load_sraa(write_folder(tmp_path / "folder", members))
    assert loaded.texts == [content.decode("latin-1") for content in members.values()]
    assert [f"{group}/{number}" for group, number in zip(*loaded.fields.values(), strict=True)] == list(members)
    packed = {f"sraa/{name}": content for name, content in members.items()}
    assert same(loaded, load_sraa(write_tar(tmp_path / "sraa.tar.gz", {**packed, "sraa/README": b"not an article"})))


# --- Office-Caltech10


def test_office_caltech_reads_what_exists(tmp_path):
    counts = np.array([[200, 0, 1], [0, 100, 255]], dtype=np.uint8)
    scipy.io.savemat(tmp_path / "dslr_SURF_L10.mat", {"fts": counts, "labels": np.array([[10], [1]], np.uint8)})
    images = load_office_caltech("dslr", tmp_path)
    assert images.X.sum() == 556  # bytes would overflow
    assert list(images.labels) == ["projector", "back_pack"]
    assert images.domain == "dslr"
    with pytest.raises(CorpusNotFound, match=r"webcam_SURF_L10\.mat"):
        load_office_caltech("webcam", tmp_path)
    with pytest.raises(ValueError, match=r"domain must be one of 'amazon', .*; got 'paintings'"):
        load_office_caltech("paintings", tmp_path)


@pytest.mark.parametrize(("domain", "size"), [("amazon", 958), ("caltech", 1123), ("dslr", 157), ("webcam", 295)])
def test_office_caltech(corpus, domain, size):
    images = load_office_caltech(domain, corpus("office_caltech"))
    assert images.X.shape == (size, 800)
    assert len(set(images.labels)) == 10


# --- Caltech-256


def test_caltech256(tmp_path):
    names = ["001.ak47/001_0001.jpg", "001.ak47/001_0002.jpg", "002.american-flag/002_0001.jpg", "056.dog/greg/x.jpg"]
    write_folder(tmp_path, {**dict.fromkeys(names, b""), "001.ak47/notes.txt": b""})
    files = load_caltech256(tmp_path)
    assert files.paths == [tmp_path / name for name in names[:3]]
    assert list(files.labels) == ["ak47", "ak47", "american-flag"]
    assert list(load_caltech256(tmp_path, categories=["american-flag"]).labels) == ["american-flag"]
    with pytest.raises(ValueError, match="there is no 'zebra'"):
        load_caltech256(tmp_path, categories=["ak47", "zebra"])


# --- Files that are not what they should be

ARCHIVES = [
    (load_newsgroups, "20news-bydate.tar.gz", ARTICLES),
    (
        load_amazon,
        "domain_sentiment_data.tar.gz",
        {f"sorted_data_acl/{k}": v.encode("latin-1") for k, v in REVIEWS.items()},
    ),
    (load_reuters, "reuters21578.tar.gz", {name: content.encode("latin-1") for name, content in SGML.items()}),
    (load_sraa, "sraa.tar.gz", {"sraa/simauto/1": b"text"}),
]


def check_damaged(load, path):
    with pytest.raises(CorpusDamaged) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path} is damaged")
    assert str(caught.value).count("is damaged") == 1


@pytest.mark.parametrize(("load", "name", "members"), ARCHIVES, ids=[name for _, name, _ in ARCHIVES])
class TestArchives:
    def test_cut_off(self, load, name, members, tmp_path):
        noise = np.random.default_rng(0).bytes(50_000)
        path = write_tar(tmp_path / name, {**members, "large": noise})
        path.write_bytes(path.read_bytes()[:20_000])
        check_damaged(load, path)

    @pytest.mark.parametrize(
        "content", [b"", b"no archive at all", gzip.compress(b"nor this")], ids=["empty", "text", "gzip"]
    )
    def test_no_archive(self, load, name, members, tmp_path, content):
        path = write_folder(tmp_path, {name: content}) / name
        check_damaged(load, path)

    def test_another_archive(self, load, name, members, tmp_path):
        path = write_tar(tmp_path / name, {"elsewhere/x": b"", "../../up": b""})
        with pytest.raises(CorpusDamaged, match=f"^[^ ]*{name} has no file like"):
            load(path)

    def test_members_that_are_not_files_are_ignored(self, load, name, members, tmp_path):
        path = write_tar(tmp_path / name, members)
        before = load(path)
        with tarfile.open(path, "w:gz") as archive:
            for member, content in members.items():
                entry = tarfile.TarInfo(member)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
            folder = tarfile.TarInfo(next(iter(members)) + "-folder")
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
        assert same(load(path), before)


@pytest.mark.parametrize(
    "content",
    [b'{"id": 1', b'{"id": "1", "split": "train"}', b"[1]", b"\xff", b""],
    ids=["cut", "less", "list", "bytes", "nothing"],
)
@pytest.mark.parametrize(
    ("load", "name"), [(load_newsgroups, "20news-bydate.jsonl.gz"), (load_amazon, "reviews.jsonl.gz")]
)
def test_lines_that_are_not_documents(load, name, content, tmp_path):
    path = tmp_path / name
    path.write_bytes(gzip.compress(content + b"\n" * bool(content)))
    check_damaged(load, path)
    path.write_bytes(gzip.compress(content * 100)[:-9])
    check_damaged(load, path)


@pytest.mark.parametrize(
    "content", [b"", b"MATLAB? no", b"MATLAB 7.3 MAT-file" + b" " * 105 + b"\x00\x02IM" + b"x" * 99]
)
def test_files_that_are_not_matrices(tmp_path, content):
    path = tmp_path / "dslr_SURF_L10.mat"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"dslr_SURF_L10\.mat is damaged"):
        load_office_caltech("dslr", tmp_path)
    scipy.io.savemat(path, {"other": np.eye(2)})
    with pytest.raises(ValueError, match="no 'fts'"):
        load_office_caltech("dslr", tmp_path)


@pytest.mark.parametrize(
    ("labels", "message"),
    [([0, 1], "labels must be 1 to 10; one is 0"), ([1, 11], "one is 11"), ([1], "1 labels for 2")],
)
def test_labels_without_a_class(tmp_path, labels, message):
    """A 0 would be read as the last class."""
    scipy.io.savemat(tmp_path / "dslr_SURF_L10.mat", {"fts": np.eye(2), "labels": np.array([labels]).T})
    with pytest.raises(ValueError, match=rf"dslr_SURF_L10\.mat is damaged .*{message}"):
        load_office_caltech("dslr", tmp_path)
    for side, codes in (("src", [1, 2]), ("tar", [2, 3])):
        name = f"OrgsPeople_{side}"
        scipy.io.savemat(tmp_path / f"{name}.mat", {f"{name}_data": np.eye(2), f"{name}_label": np.array([codes]).T})
    with pytest.raises(ValueError, match=r"OrgsPeople_tar\.mat is damaged .*labels must be 1 to 2; one is 3"):
        load_reuters_crossdomain("orgs vs people", tmp_path)


# --- The public names


def test_names_are_imported_on_first_use():
    assert set(datasets.__all__) <= set(dir(datasets))
    for name in datasets.__all__:
        assert getattr(datasets, name).__name__ == name
    with pytest.raises(AttributeError, match="load_everything"):
        datasets.load_everything
    code = "import labelferry_bench.datasets, sys; print(*({'numpy', 'scipy', 'sklearn'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert result.stdout.split() == []
