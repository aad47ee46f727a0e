"""The seed file: what it may contain, and one place and problem for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from timbra.sandbox.seeding.seed_file import Seed, SeedFileError, load_seed, parse_seed

MAX_BYTES = 1024 * 1024

EXAMPLE = Path(__file__).resolve().parents[2] / "deploy" / "seed.yaml"


def test_load_seed_reads_the_example() -> None:
    seed = load_seed(EXAMPLE)
    assert [account.user for account in seed.accounts] == ["ana@example.com", "bruno@example.com", "jefa@example.com"]
    assert seed.taxpayers[0].postal_code == "01160"
    assert seed.taxpayers[0].regime == ("601",)
    assert [certificate.kind for certificate in seed.csds] == ["csd", "efirma"]
    assert (seed.faults[0].name, seed.faults[0].seconds, seed.faults[0].times) == ("latency", 0.2, 3)
    assert seed.clock == "+1h"


@pytest.mark.parametrize("content", ["", "# nothing", "---\n", "accounts:\n  # - user: ana\nclock:\n"])
def test_parse_seed_accepts_an_empty_file(content: str) -> None:
    assert parse_seed(content.encode()) == Seed()


def test_parse_seed_reads_plain_values_as_text() -> None:
    seed = parse_seed(
        b"accounts: [{user: 123, password: 0o17, administrator: yes, stamps: 5}]\nclock: 2026-11-17T12:00:00\n"
    )
    account = seed.accounts[0]
    assert (account.user, account.password, account.administrator, account.stamps) == ("123", "0o17", True, 5)
    assert seed.clock == "2026-11-17T12:00:00"


def test_parse_seed_splits_regimes() -> None:
    seed = parse_seed(b"taxpayers: [{rfc: eku9003173c9, regime: '601, 603 605'}]")
    assert (seed.taxpayers[0].rfc, seed.taxpayers[0].regime) == ("EKU9003173C9", ("601", "603", "605"))


@pytest.mark.parametrize(
    ("content", "place", "problem"),
    [
        ("accounts: [{user: a, password: b}, {password: c}]", "accounts[1].user", "is missing"),
        ("accounts: [{user: '', password: c}]", "accounts[0].user", "must not be empty"),
        ("accounts: [{user: a, password: b, admin: true}]", "accounts[0].admin", "is not a known key"),
        ("accounts: [{user: [a], password: b}]", "accounts[0].user", "must be a text"),
        ("accounts: [{user: a, password: b, stamps: many}]", "accounts[0].stamps", "must be a whole number"),
        ("accounts: [{user: a, password: b, stamps: -1}]", "accounts[0].stamps", "is too small"),
        ("accounts: [{user: a, password: b, stamps: 2147483648}]", "accounts[0].stamps", "is too large"),
        (
            "accounts: [{user: a, password: b, administrator: maybe}]",
            "accounts[0].administrator",
            "must be true or false",
        ),
        ("accounts: ana", "accounts", "must be a list"),
        ("accounts: [ana]", "accounts[0]", "must be a mapping with keys and values"),
        ("users: []", "users", "is not a known key"),
        ("[]", "", "must be a mapping with keys and values"),
        ("taxpayers: [{rfc: XYZ}]", "taxpayers[0].rfc", "is not a well-formed RFC"),
        ("taxpayers: [{rfc: EKU9003173C9, postal_code: 1160}]", "taxpayers[0].postal_code", "has the wrong form"),
        ("taxpayers: [{rfc: EKU9003173C9, regime: [60]}]", "taxpayers[0].regime[0]", "has the wrong form"),
        ("csds: [{rfc: EKU9003173C9, kind: fiel}]", "csds[0].kind", "must be one of {values}"),
        ("faults: [{name: fire}]", "faults[0].name", "must be one of {values}"),
        ("faults: [{name: latency, seconds: nan}]", "faults[0].seconds", "must be a number"),
        ("faults: [{name: latency, times: 0}]", "faults[0].times", "is too small"),
        (
            "clock: tomorrow",
            "clock",
            "must be an instant such as 2026-11-17T12:00:00 or a duration such as +72h",
        ),
        ("accounts:\n  - user: a\n   password: b", "line 3", "is not valid YAML"),
        ("clock: +1h\nclock: +2h", "line 2", "the key appears twice"),
        ("clock: &a +1h\nfaults: [*a]", "line 2", "aliases are not supported"),
        ("clock: !!python/object/apply:os.getcwd []", "line 1", "is not valid YAML"),
        ("clock: !!int x", "", "is not valid YAML"),
        ("[" * 20_000, "", "is not valid YAML"),
        ("clock: \0", "", "is not valid YAML"),
    ],
)
def test_parse_seed_names_the_place_and_the_problem(content: str, place: str, problem: str) -> None:
    with pytest.raises(SeedFileError) as caught:
        parse_seed(content.encode())
    assert (caught.value.place, caught.value.problem) == (place, problem)


def test_parse_seed_names_the_possible_values() -> None:
    with pytest.raises(SeedFileError) as caught:
        parse_seed(b"csds: [{rfc: EKU9003173C9, kind: fiel}]")
    assert caught.value.values == "'csd' or 'efirma'"


def test_parse_seed_rejects_text_that_is_not_utf8() -> None:
    with pytest.raises(SeedFileError) as caught:
        parse_seed(b"clock: \xff")
    assert caught.value.problem == "is not valid YAML"


def test_load_seed_rejects_a_file_above_one_mebibyte(tmp_path: Path) -> None:
    large = tmp_path / "seed.yaml"
    large.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(SeedFileError) as caught:
        load_seed(large)
    assert caught.value.problem == "is larger than 1 MiB"
    large.write_bytes(b"#" * MAX_BYTES)
    assert load_seed(large) == Seed()


def test_seed_does_not_show_passwords() -> None:
    assert "secreta" not in repr(parse_seed(b"accounts: [{user: a, password: secreta}]"))
