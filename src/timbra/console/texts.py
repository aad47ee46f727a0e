"""Spanish texts of the command line, by the English text: modules of the features, each with a dictionary `SPANISH`."""

from __future__ import annotations

from functools import cache

from timbra.core.features import features


@cache
def spanish_texts() -> dict[str, str]:
    """Return all texts.

    Raises:
        ValueError: Two modules translate the same text differently.
    """
    texts: dict[str, str] = {}
    for feature in features():
        for module in feature.texts:
            for english, spanish in feature.read(module, "SPANISH").items():
                if texts.setdefault(english, spanish) != spanish:
                    raise ValueError(f"two translations of {english!r}")
    return texts
