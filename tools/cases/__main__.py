"""`python -m tools.cases build`: the archive in dist/. `python -m tools.cases run`: the answers of a harness."""

from __future__ import annotations

from tools.cases.commands import main

main()
