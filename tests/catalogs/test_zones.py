from __future__ import annotations

import zoneinfo
from datetime import date, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest

from timbra.catalogs import SnapshotCatalogs
from timbra.catalogs.zones import ZONES, _zone, time_zone

OWN_ZONES = ("America/Hermosillo", "America/Ciudad_Juarez", "America/Chihuahua", "America/Ojinaga")
TIME_ZONES = (
    "Tiempo del Centro",
    "Tiempo del Centro en Frontera",
    "Tiempo del Noroeste",
    "Tiempo del Pacífico",
    "Tiempo del Sureste",
)


def test_zone_exists_for_exactly_the_postal_codes(catalogs: SnapshotCatalogs) -> None:
    on = date(2026, 5, 5)
    codes = [f"{number:05}" for number in range(100_000)]
    valid = [code for code in codes if catalogs.contains("c_CodigoPostal", code, on)]
    zones = {code: catalogs.zone(code) for code in codes}

    assert len(valid) == 95_748
    assert [code for code in codes if zones[code] is not None] == valid
    assert {str(zones[code]) for code in valid} == {*ZONES.values(), *OWN_ZONES}


@pytest.mark.parametrize("text", ["", "1000", "010000", "O1000", "0100a", "-1000", "+1000", " 1000", "٠١٠٠٠", "1_000"])
def test_zone_is_none_for_other_text(catalogs: SnapshotCatalogs, text: str) -> None:
    assert catalogs.zone(text) is None


@pytest.mark.parametrize(
    ("postal_code", "zone"),
    [
        ("06000", "America/Mexico_City"),
        ("42501", "America/Mexico_City"),
        ("25000", "America/Mexico_City"),
        ("26000", "America/Matamoros"),
        ("87300", "America/Matamoros"),
        ("88000", "America/Matamoros"),
        ("32000", "America/Ciudad_Juarez"),
        ("31840", "America/Ciudad_Juarez"),
        ("32880", "America/Ojinaga"),
        ("32850", "America/Ojinaga"),
        ("31000", "America/Chihuahua"),
        ("22000", "America/Tijuana"),
        ("21100", "America/Tijuana"),
        ("23000", "America/Mazatlan"),
        ("80290", "America/Mazatlan"),
        ("63000", "America/Mazatlan"),
        ("63732", "America/Mexico_City"),
        ("83000", "America/Hermosillo"),
        ("84000", "America/Hermosillo"),
        ("77500", "America/Cancun"),
    ],
)
def test_zone_of_sample_postal_codes(catalogs: SnapshotCatalogs, postal_code: str, zone: str) -> None:
    assert str(catalogs.zone(postal_code)) == zone


@pytest.mark.parametrize(
    ("postal_code", "winter", "summer", "summer_2021"),
    [
        ("06000", -6, -6, -5),
        ("87300", -6, -5, -5),
        ("22000", -8, -7, -7),
        ("80290", -7, -7, -6),
        ("83000", -7, -7, -7),
        ("77500", -5, -5, -5),
    ],
)
def test_time_zone_applies_summer_time_until_2022(
    catalogs: SnapshotCatalogs, postal_code: str, winter: int, summer: int, summer_2021: int
) -> None:
    zone = catalogs.zone(postal_code)
    assert zone is not None

    for year, month, hours in ((2026, 1, winter), (2026, 7, summer), (2021, 7, summer_2021)):
        noon = datetime(year, month, 15, 12, tzinfo=zone)
        assert noon.utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("postal_code", "hours"),
    [
        ("31000", {"2022-10-29": -6, "2022-12-15": -6, "2023-07-15": -6, "2026-01-15": -6, "2026-07-15": -6}),
        ("32000", {"2022-10-29": -6, "2022-11-15": -6, "2022-12-15": -7, "2026-01-15": -7, "2026-07-15": -6}),
        ("32880", {"2022-10-29": -6, "2022-12-15": -6, "2026-01-15": -6, "2026-07-15": -5}),
    ],
    ids=["Chihuahua", "Ciudad Juárez", "Ojinaga"],
)
def test_time_zone_of_chihuahua_is_that_of_its_municipality(
    catalogs: SnapshotCatalogs, postal_code: str, hours: dict[str, int]
) -> None:
    zone = catalogs.zone(postal_code)

    assert {day: datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=zone).utcoffset() for day in hours} == {
        day: timedelta(hours=offset) for day, offset in hours.items()
    }


def test_time_zone_uses_the_tzdata_package(tmp_path: Path) -> None:
    (tmp_path / "America").mkdir()
    outdated = files("tzdata").joinpath("zoneinfo/UTC").read_bytes()
    (tmp_path / "America/Tijuana").write_bytes(outdated)
    noon = datetime(2026, 7, 15, 12)  # noqa: DTZ001 (the zone is what is tested)
    try:
        zoneinfo.reset_tzpath([tmp_path])
        _zone.cache_clear()
        zone = time_zone("Tiempo del Noroeste", "BCN", "004")
        machine = zoneinfo.ZoneInfo.no_cache("America/Tijuana")
    finally:
        zoneinfo.reset_tzpath()

    assert noon.replace(tzinfo=machine).utcoffset() == timedelta(0), "the machine's database is the outdated one"
    assert noon.replace(tzinfo=zone).utcoffset() == timedelta(hours=-7)


def test_build_accepts_the_same_labels() -> None:
    assert set(ZONES) == set(TIME_ZONES)


def test_time_zone_of_label_and_state() -> None:
    assert time_zone("Tiempo del Pacífico", "SIN", "").key == "America/Mazatlan"
    assert time_zone("Tiempo del Pacífico", "SON", "").key == "America/Hermosillo"
    assert time_zone("Tiempo del Pacífico", "SIN", "") is time_zone("Tiempo del Pacífico", "NAY", "")
    with pytest.raises(KeyError):
        time_zone("Tiempo de Marte", "SIN", "")
