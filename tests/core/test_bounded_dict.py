"""The dict of caches in memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from timbra.core.bounded_dict import BoundedDict


def test_bounded_dict_evicts_the_entry_written_longest_ago() -> None:
    cache = BoundedDict[str, int](2)
    cache["a"], cache["b"] = 1, 2
    cache["a"] = 3
    cache["c"] = 4
    assert dict(cache) == {"a": 3, "c": 4}


def test_bounded_dict_keeps_its_bound_when_it_is_updated() -> None:
    cache = BoundedDict[int, int](3)
    cache.update({number: number for number in range(10)})
    assert list(cache) == [7, 8, 9]


def test_bounded_dict_is_usable_by_threads() -> None:
    cache = BoundedDict[int, int](5)

    def work(start: int) -> None:
        for number in range(start, start + 2_000):
            cache[number % 11] = number
            if number % 97 == 0:
                cache.clear()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    cache.update(dict.fromkeys(range(11), 0))
    assert list(cache) == [6, 7, 8, 9, 10]
