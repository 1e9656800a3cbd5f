"""What the page of results says beside a table, by hand: where we are below a paper, and what was tried."""

from __future__ import annotations

REMARKS: dict[str, tuple[str, ...]] = {}
