"""One estimator of every kind, small enough for small data. A new estimator is listed by being registered."""

import labelferry.baselines
import labelferry.methods  # noqa: F401  (registers)
from labelferry.transfer.registry import ESTIMATORS

SMALL = {
    "n_topics": 3,
    "n_clusters": 3,
    "n_common_topics": 2,
    "n_domain_topics": 1,
    "n_neighbors": 5,
    "max_iter": 30,
    "random_state": 0,
}
TINY = SMALL | {"n_topics": 2, "n_clusters": 2, "n_common_topics": 1}  # scikit-learn's checks have two features


def small(name: str):
    """The estimator with that name, its sizes cut to a few topics and neighbours."""
    est = ESTIMATORS[name]()
    return est.set_params(**{k: v for k, v in SMALL.items() if k in est.get_params()})
