"""The seed file of `timbra dev`: accounts, taxpayers, certificates, faults and the clock, as YAML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from timbra.cfdi.rfc import is_rfc
from timbra.core.errors import ServiceError
from timbra.sandbox.clock import initial_reading
from timbra.sandbox.faults import FaultName
from timbra.sandbox.seeding.seed_problems import PROBLEMS

MAX_BYTES = 1024 * 1024


class SeedFileError(Exception):
    """A seed file that cannot be applied.

    Attributes:
        place: where in the file, such as `accounts[1].user` or `line 3`; empty for the whole file.
        problem: what is wrong; one of `PROBLEMS` or a sentence of a service.
        values: the possible values, for a problem with the field `{values}`; else empty.
    """

    def __init__(self, place: str, problem: str, values: str = "") -> None:
        super().__init__(place, problem, values)
        self.place = place
        self.problem = problem
        self.values = values


def _require_rfc(text: str) -> str:
    if not is_rfc(text.upper()):
        raise PydanticCustomError("rfc", "not an RFC")
    return text.upper()


def _require_clock(text: str) -> str:
    try:
        initial_reading(text)
    except ServiceError as error:
        raise PydanticCustomError("clock", "not a reading of the clock") from error
    return text


def _split(value: object) -> object:
    return value.replace(",", " ").split() if isinstance(value, str) else value


Rfc = Annotated[str, AfterValidator(_require_rfc)]
Clock = Annotated[str, AfterValidator(_require_clock)]
PostalCode = Annotated[str, Field(pattern="^[0-9]{5}$")]
Regime = Annotated[str, Field(pattern="^[0-9]{3}$")]
RequiredText = Annotated[str, Field(min_length=1)]


class SeedEntry(BaseModel):
    """Base class of the entries: an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SeededAccount(SeedEntry):
    """An account. One that exists already is not changed.

    Attributes:
        unlimited: whether the account stamps without a balance; by default only without `stamps`.
        stamps: initial balance.
    """

    user: RequiredText
    password: RequiredText = Field(repr=False)
    administrator: bool = False
    unlimited: bool | None = None
    stamps: int = Field(default=0, ge=0, le=2**31 - 1)


class SeededTaxpayer(SeedEntry):
    """A registered taxpayer. Of one that exists already, the given values are changed and published."""

    rfc: Rfc
    name: RequiredText | None = None
    postal_code: PostalCode | None = None
    regime: Annotated[tuple[Regime, ...], BeforeValidator(_split)] | None = None
    obligations: int | None = Field(default=None, ge=0, le=4)
    cancelled: bool | None = None
    situation: str | None = None


class SeededCertificate(SeedEntry):
    """A certificate that the sandbox issues.

    Attributes:
        account: user of the account whose vault stores a CSD; the one of `timbra dev` when None.
        kind: a CSD is stored in the vault; the files of an e.firma are written to the data folder.
    """

    account: RequiredText | None = None
    rfc: Rfc
    kind: Literal["csd", "efirma"] = "csd"


class SeededFault(SeedEntry):
    """An active fault.

    Attributes:
        times: requests that it affects; None for all.
        seconds: delay of `latency`, and the time of other faults that have one.
        probability, seed, route, account: the requests that it affects.
    """

    name: FaultName
    times: int | None = Field(default=None, ge=1)
    seconds: float | None = Field(default=None, gt=0, le=600, allow_inf_nan=False)
    probability: float = Field(default=1.0, gt=0, le=1, allow_inf_nan=False)
    seed: int = Field(default=1, ge=0, le=2**53)
    route: str = ""
    account: str = ""


class Seed(SeedEntry):
    """The content of a seed file.

    Attributes:
        clock: fiscal time, as the setting `TIMBRA_CLOCK` has it.
    """

    accounts: tuple[SeededAccount, ...] = ()
    taxpayers: tuple[SeededTaxpayer, ...] = ()
    csds: tuple[SeededCertificate, ...] = ()
    faults: tuple[SeededFault, ...] = ()
    clock: Clock | None = None


def load_seed(path: Path) -> Seed:
    """Read and validate a seed file.

    Raises:
        SeedFileError: the file is too large, is not YAML, or has an invalid value.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise SeedFileError("", PROBLEMS["too_large"])
    return parse_seed(content)


def parse_seed(content: bytes) -> Seed:
    """Parse the content of a seed file; see `load_seed`."""
    values = _without_empty_lists(_read_yaml(content))
    try:
        return Seed() if values in (None, "") else Seed.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise SeedFileError(place_of(first["loc"]), _problem(first), first.get("ctx", {}).get("expected", "")) from None


def _without_empty_lists(values: object) -> object:
    """Drop the known keys without a value, such as a list whose entries are all commented out."""
    if not isinstance(values, dict):
        return values
    return {key: value for key, value in values.items() if value != "" or key not in Seed.model_fields}


def place_of(location: tuple[int | str, ...]) -> str:
    """Return the place of a value as text: `accounts[1].user`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")


def _problem(error: ErrorDetails) -> str:
    kind = error["type"].replace("tuple_type", "list_type")
    return PROBLEMS.get(kind, error["msg"])


class _TextLoader(yaml.SafeLoader):  # type: ignore[misc]
    """A safe loader that reads every plain value as text, so that `01160` stays a postal code and is no octal number.

    Repeated keys and aliases are errors.
    """

    yaml_implicit_resolvers: Mapping[str, Any] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, PROBLEMS["alias"], self.peek_event().start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, PROBLEMS["repeated"], key.start_mark)
            if isinstance(key.value, str):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def _read_yaml(content: bytes) -> object:
    try:
        return yaml.load(content, Loader=_TextLoader)  # noqa: S506 - a subclass of SafeLoader
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}" if error.problem_mark else ""
        own = error.problem if error.problem in PROBLEMS.values() else PROBLEMS["not_yaml"]
        raise SeedFileError(line, own) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SeedFileError("", PROBLEMS["not_yaml"]) from error
