"""From Domains to a Labelling, and from a saved model to labels of later documents."""
