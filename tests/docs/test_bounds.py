"""Every queue, buffer, cache, pool and retry of the code has a limit that is declared, or that it says itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.bounds_page import all_constructs, constructs, declarations

from tools import bounds_page


def test_each_construct_with_a_limit_is_declared() -> None:
    declared = declarations()
    missing = [
        f"{each.module}: {each.place} needs a Bound in BOUNDS of its module"
        for each in all_constructs()
        if not each.limit and (each.module, each.place) not in declared
    ]
    assert not missing


def test_each_declaration_is_of_a_construct() -> None:
    found = {(each.module, each.place) for each in all_constructs()}
    assert declarations().keys() <= found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class WaitingQueue:\n    pass", [("WaitingQueue", "")]),
        ("q = deque()", [("q", "")]),
        ("class A:\n    def f(self):\n        self.x: Queue[int] = Queue()", [("A", "")]),
        ("class A:\n    x = asyncio.Semaphore(3)", [("A", "")]),
        ("def f():\n    with ThreadPoolExecutor(2) as pool:\n        pass", [("f", "")]),
        ("def f():\n    for _ in range(MOST_ATTEMPTS):\n        pass", [("f", "")]),
        ("@cache\ndef f(x):\n    pass", [("f", "")]),
        ("@cache\ndef f():\n    pass", [("f", "1 value")]),
        ("@lru_cache(maxsize=SIZE)\ndef f(x):\n    pass", [("f", "SIZE values")]),
        ("f = lru_cache(maxsize=256)(g)", [("f", "256 values")]),
        ("class A:\n    @functools.cache\n    def f(self):\n        pass", [("A.f", "")]),
        ("def f():\n    for _ in range(3):\n        pass", []),
    ],
)
def test_constructs_are_found(
    source: str, expected: list[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds_page, "ROOT", tmp_path)
    (tmp_path / "module.py").write_text(source)
    assert [(each.place, each.limit) for each in constructs(tmp_path / "module.py")] == expected
