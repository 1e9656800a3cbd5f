"""An error during `fit_domains` leaves the estimator as it was."""

import pytest

from labelferry import SourceLR

from ..planted import as_domains, vocabulary_shift


class Failing(SourceLR):
    """Fails after the solution was found."""

    fails = False

    def _set_transduction(self, domains, used):
        if self.fails:
            raise RuntimeError("no memory")
        super()._set_transduction(domains, used)


def test_an_error_sets_no_attributes(monkeypatch):
    domains = as_domains(vocabulary_shift(n_docs=30))
    monkeypatch.setattr(Failing, "fails", True)
    est = Failing(C=1.0)
    before = dict(vars(est))
    with pytest.raises(RuntimeError, match="no memory"):
        est.fit_domains(domains)
    assert vars(est) == before


def test_an_error_keeps_an_earlier_fit(monkeypatch):
    est = Failing(C=1.0).fit_domains(as_domains(vocabulary_shift(n_docs=30)))
    before = dict(vars(est))
    monkeypatch.setattr(Failing, "fails", True)
    with pytest.raises(RuntimeError, match="no memory"):
        est.fit_domains(as_domains(vocabulary_shift(n_docs=40)))
    assert vars(est).keys() == before.keys()
    assert all(vars(est)[name] is value for name, value in before.items())
