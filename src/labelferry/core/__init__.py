"""From (X, y, sample_domain) to a fitted estimator: Domains, the scikit-learn shell, the registry, saving, loading."""
