"""Random answers to tiny jobs: the job, its file and Python say the same, and what the definitions say."""

import numpy as np
import pytest

from labelferry.review.job.files import draw_accept_open, draw_open, import_answers
from labelferry.review.job.job import open_job
from labelferry.review.sample.accept_files import next_round, rows_with_answers, usable_of_samples
from labelferry.review.sample.filled import certify_sample, read_sample
from labelferry.review.sample.frozen import Limit, freeze
from labelferry.review.sample.population import population_of_file
from labelferry.review.store import FitData, JobData, Store
from tests.usable import same

UNCLEAR = -1


class World:
    """A job with 1 to 30 documents and 1 to 3 classes, its file, the truth, and people who answer in some way."""

    def __init__(self, seed, folder):
        self.rng = rng = np.random.default_rng(seed)
        self.n, self.k = n, k = int(rng.integers(1, 31)), int(rng.integers(1, 4))
        self.classes = [f"c{code}" for code in range(k)]
        self.labels = labels = rng.integers(0, k, n)
        self.truth = np.where(rng.random(n) < rng.choice([0, 0.05, 0.2, 0.6]), rng.integers(0, k + 1, n), labels)
        self.style = rng.choice(["right", "any", "unclear"])
        confidence = rng.choice([0.5, 0.61237, 0.7, 0.9, 0.99], n)  # with ties
        source_only = np.where(rng.random(n) < 0.3, rng.integers(0, k, n), labels)
        settings = {"file": "new.csv", "text": "text", "columns": ["text"], "question_seed": int(rng.integers(1000))}
        data = JobData(
            texts=[f"text {i}" for i in range(n)],
            own={},
            lines=range(2, n + 2),
            evidence=[[]] * n,
            source_only=source_only,
            classes=self.classes,
            fit=FitData("TCL", labels, confidence, (labels + 1) % k, confidence < 0.6),
            members={},
            pool={},
            settings={**settings, "settings": {"target_error": 0.05}},
        )
        Store.create(folder / "job.ferry", data).close()
        self.job = open_job(folder / "job.ferry")
        self.job.export(folder / "out.csv")
        self.population = population_of_file(folder / "out.csv", classes=self.classes)

    def say(self, row):
        """What a person says about a row, as a code."""
        anything = [self.truth[row], self.truth[row], self.labels[row], UNCLEAR, self.k]
        return int({"right": self.truth[row], "unclear": UNCLEAR}.get(self.style, self.rng.choice(anything)))

    def name(self, code):
        return [*self.classes, "none_of_these", "unclear"][code]

    def filled(self, sample, people=("ann",)):
        """The columns of a sample with answers, and per row what these persons say together."""
        columns = {name: [] for name in (*sample.columns, "reviewer")}
        together = {}
        for cells in zip(*sample.columns.values(), strict=True):
            row = int(cells[0]) - 1
            codes = [self.say(row) for _ in people]
            together[row] = codes[0] if len(set(codes)) == 1 else UNCLEAR
            for person, code in zip(people, codes, strict=True):
                values = {**dict(zip(sample.columns, cells, strict=True)), "answer": self.name(code)}
                for name, cell in {**values, "reviewer": person}.items():
                    columns[name].append(cell)
        return columns, together


@pytest.mark.parametrize("seed", range(12))
def test_labels_to_use(seed, tmp_path):
    world = World(seed, tmp_path)
    rng, job = world.rng, world.job
    limit = Limit(float(rng.choice([0.05, 0.1, 0.3, 0.5])), bool(rng.random() < 0.3), bool(rng.random() < 0.3))
    samples, given = [], {}
    for _ in range(6):
        usable, whole = job.accept(**limit._asdict()), bool(rng.random() < 0.3)
        if not usable.again and not usable.next_rows(1, whole_file=whole):
            with pytest.raises(ValueError, match="no question is left"):
                draw_accept_open(job, 1, limit, whole_file=whole)
            continue
        sample = draw_accept_open(job, int(rng.integers(1, 8)), limit, whole_file=whole)
        columns, together = world.filled(sample, ("ann",) if rng.random() < 0.6 else ("ann", "bob"))
        samples.append(columns)
        for row, code in together.items():
            given.setdefault(row, []).append(code)
        import_answers(job, columns)
        in_job, (in_file, _) = job.accept(**limit._asdict()), usable_of_samples(world.population, samples, limit)
        frozen = freeze(world.population, job.questions.seed)
        names = {row: [world.name(code) for code in codes] for row, codes in given.items()}
        answers = rows_with_answers(names, frozen, world.n, np.array(world.classes, dtype=object))
        in_python = next_round(frozen, answers, limit, None)
        assert same(in_job, in_file)
        assert same(in_file, in_python)
        assert in_job.labels == in_file.labels == in_python.labels
        assert in_job.text() == in_file.text() == in_python.text()
        assert in_job.next_rows(5) == in_file.next_rows(5)
        assert sorted(in_job.again) == sorted(in_file.again)
        wrong = {  # by the definition: neither the first answer nor two further ones agree with the label
            row: codes[0] != label and codes[1:3] != [label, label]
            for row, codes in given.items()
            for label in [world.labels[row]]
        }
        assert in_job.wrong == wrong
        claim = in_job.accepted
        assert sum(in_job.wrong.get(row, False) for row in np.flatnonzero(claim.rows).tolist()) == claim.n_wrong
        assert claim.n_wrong <= claim.at_most_wrong <= limit.error * claim.n
        if len(given) == world.n and world.style == "right":
            assert (world.truth != world.labels)[claim.rows].sum() == claim.n_wrong
    job.close()


@pytest.mark.parametrize("seed", range(12))
def test_certificates(seed, tmp_path):
    world = World(seed, tmp_path)
    sample = draw_open(world.job, int(world.rng.integers(1, 40)), n_duel=int(world.rng.integers(0, 6)))
    columns, _ = world.filled(sample)
    import_answers(world.job, columns)
    certificate = world.job.certificate()
    in_file = certify_sample(world.population, read_sample(columns, world.population))
    assert certificate.as_dict() == in_file.as_dict()
    shares = [certificate.accuracy, *(one.proportion for one in certificate.classes)]
    if world.style == "right":
        truth = [world.truth == world.labels, *(world.truth == code for code in range(world.k + 1))]
        if certificate.n_answers == world.n:
            assert all(
                one.low == one.high == pytest.approx(true.mean()) for one, true in zip(shares, truth, strict=True)
            )
    elif world.style == "unclear":
        assert all((one.low, one.high) == (0, 1) for one in shares)  # nothing is known
    world.job.close()
