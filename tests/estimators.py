"""One estimator of every kind, small enough for small data. A new estimator is listed by being registered."""

from labelferry.core.registry import estimators

ESTIMATORS = estimators()
# The base classes answer most of the checks: `make test` has many fits of the fastest estimator of each family only.
FAMILIES = ("SourceLR", "SourceNB", "EMNaiveBayes", "TCL", "NormalizedCut", "HybridLabelPropagation", "CDSC")

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

OWN: dict[str, dict] = {
    "RSP": {"n_clusters": None},  # as many as classes: other numbers are not answered by classes
    "NormalizedCut": {"n_clusters": None},
    "ITCC": {"n_init": 2},  # of 20
    "SphericalKMeans": {"n_init": 2},  # of 10
    "NMFClustering": {"n_init": 2},  # of 10
    "SGT": {"n_neighbors": 20},  # with fewer the graph of the small corpus falls apart into its domains
}


def sizes(name: str, given: dict) -> dict:
    """The given sizes that the estimator with that name has."""
    return {k: v for k, v in (given | OWN.get(name, {})).items() if k in ESTIMATORS[name]().get_params()}


def small(name: str):
    """The estimator with that name, its sizes cut to a few topics and neighbours."""
    return ESTIMATORS[name](**sizes(name, SMALL))
