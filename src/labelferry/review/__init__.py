"""Answers of people: samples in files, review jobs, their store and the review page."""
