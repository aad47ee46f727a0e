"""The exported cases: form, coverage, equal bytes, and how answers of harnesses are compared."""

from __future__ import annotations

import json
import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from tests.support.effort import LONG
from tests.support.rule_set_examples import EXAMPLES
from tools.cases import comparison, report
from tools.cases.commands import main
from tools.cases.derived_keys import derived_key
from tools.cases.export import archive, build, evaluable_cases

from timbra.rules.registry import RULE_SETS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "cases.md"
SETS = [each for each in RULE_SETS if LONG or each.name in ("sellos", "forma", "ine11", "planesderetiro11")]
DRIFT = 0.05
"""Share of new cases up to which the page, a dated comparison, is not renewed."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of the cases, and that of their sandbox."""
    folder, data = tmp_path_factory.mktemp("cases"), tmp_path_factory.mktemp("sandbox")
    build(folder, data, SETS)
    return folder, data


@pytest.fixture(scope="module")
def document(folders: tuple[Path, Path]) -> Any:
    return json.loads((folders[0] / "cases.json").read_text("utf-8"))


def test_cases_conform_to_their_schema(folders: tuple[Path, Path], document: Any) -> None:
    schema = json.loads((folders[0] / "cases.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []


def test_cases_have_both_documents_of_every_code_with_an_example(document: Any) -> None:
    expected = {rule.code for rule_set in SETS for rule in rule_set.rules if rule.code in EXAMPLES}
    found = {(case["rule"], case["result"]) for case in document["cases"]}
    assert found == {(code, result) for code in expected for result in ("valid", "invalid")}
    assert len(document["cases"]) == 2 * len(expected)


def test_files_are_named_by_rule_and_result_without_regard_to_case(folders: tuple[Path, Path], document: Any) -> None:
    names = [case["file"] for case in document["cases"]]
    assert len({name.casefold() for name in names}) == len(names)
    assert "documents/sellos/302.invalid.xml" in names
    for case in document["cases"]:
        assert sha256((folders[0] / case["file"]).read_bytes()).hexdigest() == case["sha256"]


def test_case_states_code_place_source_and_origin(document: Any) -> None:
    by_id = {case["id"]: case for case in document["cases"]}
    stamp, seal = by_id["sellos/TFD-UNICO.invalid"], by_id["sellos/T302.invalid"]
    assert (stamp["code"], stamp["rule"], stamp["codes"], stamp["origin"]) == (
        "TB6010",
        "TFD-UNICO",
        ["TB6010"],
        "stamp",
    )
    assert (seal["path"], seal["document"]["kind"], seal["origin"]) == ("/Retenciones/@Sello", "Retenciones", "seal")
    assert by_id["sellos/401.invalid"]["stage"] == "stamping"
    assert by_id["sellos/401.invalid"]["origin"] == "date"
    assert by_id["forma/CO1001.invalid"]["origin"] == "structure"
    assert by_id["ine11/INE180.invalid"]["document"]["complement"]["name"] == "INE"
    assert by_id["ine11/INE180.invalid"]["source"]["row"] == "INE180"


def test_two_builds_have_the_same_bytes(tmp_path: Path) -> None:
    chosen = [each for each in RULE_SETS if each.name == "planesderetiro11"]
    files = []
    for name in ("first", "second"):
        build(tmp_path / name, tmp_path / f"{name}-data", chosen)
        archive(tmp_path / name, tmp_path / f"{name}.d" / "cfdi-cases.zip")
        files.append((tmp_path / f"{name}.d" / "cfdi-cases.zip").read_bytes())
    assert files[0] == files[1]


def test_derived_key_is_always_the_same() -> None:
    key = derived_key("authority")
    assert key.key_size == 2048
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert sha256(public).hexdigest() == "59e327b4fabed663f0404d9ed1e929a96967352b51a864dc10f7ab81192077b7"
    assert derived_key("provider").public_key() != key.public_key()


def test_timbra_agrees_with_all_of_its_cases(folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    command = f"timbra={sys.executable} -m tools.cases.in_process {folders[1]}"
    with pytest.raises(SystemExit) as ended:
        main(["run", "--folder", str(folders[0]), "--harness", command])
    assert ended.value.code == 0, capsys.readouterr().out


def harness(tmp_path: Path, answer: str) -> list[str]:
    """Return the command of a harness that answers each case with an expression over `case`."""
    file = tmp_path / "harness.py"
    file.write_text(
        f"import json, sys\nfor line in sys.stdin:\n    case = json.loads(line)\n    print({answer}, flush=True)\n"
    )
    return [sys.executable, str(file)]


def compared(folder: Path, tmp_path: Path, codes: str) -> dict[str, comparison.Outcome]:
    """Return the outcomes of the two cases of CFDI40102 with a harness that always answers the codes."""
    cases = [case for case in comparison.read_cases(folder) if case["rule"] == "CFDI40102"]
    answer = f"json.dumps({{'id': case['id'], {codes}}})"
    found = comparison.compare("other", harness(tmp_path, answer), folder, cases)
    return {each.case["result"]: each.outcome for each in found.answers}


@pytest.mark.parametrize(
    ("codes", "valid", "invalid"),
    [
        ("'codes': []", "agree", "said to be valid"),
        ("'codes': ['CFDI40102']", "said to be invalid", "agree"),
        ("'codes': ['CFDI40102', '302']", "said to be invalid", "agree"),
        ("'codes': ['302']", "said to be invalid", "other codes"),
        ("'codes': ['CFDI40102', 'CFDI40103']", "said to be invalid", "other codes"),
        ("'error': 'no schema'", "cannot evaluate", "cannot evaluate"),
    ],
)
def test_wrong_answers_are_reported(
    folders: tuple[Path, Path], tmp_path: Path, codes: str, valid: str, invalid: str
) -> None:
    assert compared(folders[0], tmp_path, codes) == {"valid": valid, "invalid": invalid}


def test_run_ends_with_one_when_timbra_differs(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = " ".join(harness(tmp_path, "json.dumps({'id': case['id'], 'codes': []})"))
    with pytest.raises(SystemExit) as ended:
        main(["run", "--folder", str(folders[0]), "--harness", f"timbra={command}"])
    assert ended.value.code == 1
    assert "said to be valid" in capsys.readouterr().out


@pytest.mark.parametrize("answer", ["'nothing'", "json.dumps({'id': 'another', 'codes': []})", "json.dumps([])"])
def test_compare_rejects_what_is_not_the_protocol(folders: tuple[Path, Path], tmp_path: Path, answer: str) -> None:
    cases = comparison.read_cases(folders[0])
    with pytest.raises(comparison.HarnessError, match=re.escape(cases[0]["id"])):
        comparison.compare("other", harness(tmp_path, answer), folders[0], cases)


def test_compare_rejects_a_harness_that_ends_early(folders: tuple[Path, Path]) -> None:
    cases = comparison.read_cases(folders[0])
    with pytest.raises(comparison.HarnessError, match=re.escape(cases[0]["id"])):
        comparison.compare("other", [sys.executable, "-c", ""], folders[0], cases * 100)


def test_page_has_the_comparison_of_all_cases() -> None:
    generated = PAGE.read_text("utf-8").split(report.BEGIN)[1].split(report.END)[0]
    rows = re.findall(
        r"^\| ([a-z-]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", generated, re.MULTILINE
    )
    by_name = {name: tuple(map(int, figures)) for name, *figures in rows}
    compared = by_name["timbra"][0]
    assert by_name["timbra"] == (compared, compared, 0, 0, 0, 0)
    assert by_name["timbra-http"] == (compared, compared - 4, 4, 0, 0, 0)
    assert by_name["satcfdi"][0] == compared == sum(by_name["satcfdi"][1:])
    assert compared >= (1 - DRIFT) * evaluable_cases(), "renew the comparison, as the page says"


def test_write_page_replaces_the_part_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "cases.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n", "utf-8")
    case = {"id": "a/B.invalid", "ruleSet": "a", "codes": ["B"], "alsoReported": []}
    answers = (comparison.Answered(case, (), ""), comparison.Answered(case, (), "not stamped"))
    report.write_page(page, [comparison.Comparison("other", answers)])
    text = page.read_text("utf-8")
    assert (text.startswith("before\n"), text.endswith("after\n"), "old" in text) == (True, True, False)
    assert "| other | 2 | 0 | 1 | 1 | 0 | 0 |" in text
    assert "- `a/B.invalid`: said to be valid; codes B expected, none answered." in text
    assert "- cannot evaluate, 1: not stamped." in text
