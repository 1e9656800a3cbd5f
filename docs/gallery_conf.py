"""Settings of the gallery: every example is run."""

conf = {
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_", "__repr__"),
    "image_scrapers": (),
    "remove_config_comments": True,
    "download_all_examples": False,
    "run_stale_examples": True,  # the library may have changed
    "show_memory": False,
    "min_reported_time": 1e9,
}
