"""Digests of the rows of an error matrix: `python -m tools.matrix_digests FILE` writes `matrix.csv` of its rule set.

Run it after the rules were adapted to a new matrix, so that `timbra data check` finds the next change of a text.
"""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path

from timbra.catalogs.workbook import read_sheets
from timbra.rules.reference.matrix import DIGESTS, MatrixRow, joined_digest, read_matrix, rule_set_of


def main() -> None:
    """Write the digests of the matrix in the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    rows = read_matrix(read_sheets(parser.parse_args().file))
    rule_set = rule_set_of(rows)
    if rule_set is None:
        raise SystemExit("no rule set has codes of this file")
    by_code: dict[str, list[MatrixRow]] = {}
    for row in rows:
        by_code.setdefault(row.code, []).append(row)
    lines = [f"{code},{joined_digest(by_code[code])}\n" for code in sorted(by_code)]
    Path(str(files(rule_set.package).joinpath(DIGESTS))).write_text("code,digest\n" + "".join(lines), "utf-8")


if __name__ == "__main__":
    main()
