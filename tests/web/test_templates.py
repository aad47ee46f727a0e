from pathlib import Path

import timbra

PACKAGE = Path(timbra.__file__).parent
TEMPLATES = sorted(each for each in PACKAGE.glob("*/**/templates/**/*") if each.suffix in (".html", ".typ"))


def test_template_lines_have_at_most_120_characters() -> None:
    for template in TEMPLATES:
        lines = template.read_text("utf-8").splitlines()
        long = [f"{template.name}:{number}" for number, line in enumerate(lines, 1) if len(line) > 120]
        assert not long, "put one cell, attribute or statement in a line, and {%- or -%} where no white space may show"
