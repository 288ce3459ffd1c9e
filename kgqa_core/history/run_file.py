"""A run as a file that another machine reads: one JSON document, UTF-8.

    format    "kgqa-explorer run"
    version   1; a reader refuses a higher one
    run       the header: id, question, method, params, graph, graph_fingerprint, graph_source,
              model, model_source, started_at (ISO 8601, UTC), version (of the program), for a
              fork parent, forked_at and edits, personal: facts laid over the graph, and dollars:
              what the tokens of a recorded run cost
    events    the records in order: seq (0, 1, 2 …), step, at_s (seconds since the start), cost and
              the event with its `kind`, as in `events.py`; the last and only the last is terminal
    question, method, status, answer, citations, cost …
              worked out from the above (`document.py`) for other programs; ignored on import

Raising the version is for what a reader of the present one would get wrong or could not read: new
kinds of events, new fields of an event. New fields beside `run` are no reason.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import from_json

from kgqa_core.ask.events import RECORDS, Record
from kgqa_core.ask.header import Edits, Header
from kgqa_core.ask.outcome import document
from kgqa_core.ask.preferences import MOST_ROWS
from kgqa_core.ask.run import MAX_QUESTION
from kgqa_core.errors import KGQAError, misfit
from kgqa_core.kg import kinds
from kgqa_core.methods import METHODS

FORMAT, VERSION = "kgqa-explorer run", 1
MOST_BYTES = 30 << 20  # of a file that is read
_MOST_RECORDS = 50_000
_MOST_PARAMS = 20_000  # characters, as JSON
_ID = r"[A-Za-z0-9_-]"
_Cell = Annotated[str, Field(min_length=1, max_length=300)]


class DocumentError(KGQAError):
    """A file is no run that this version can read; the message says what is wrong with it."""


def exported(header: Header, records: Sequence[Record], *, compact: bool = False) -> str:
    """The document of a run that has ended; `compact` leaves out what a reader works out."""
    found: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "run": _public(header).model_dump(mode="json", exclude_defaults=compact),
    }
    if compact:
        kept = [r.model_dump(mode="json", exclude_defaults=True) for r in records]
        events = [
            {**r, "event": {"kind": record.event.model_dump()["kind"], **r["event"]}}
            for r, record in zip(kept, records, strict=True)
        ]
        return json.dumps({**found, "events": events}, ensure_ascii=False, separators=(",", ":"))
    found |= document(header.question, header.method, records)
    return json.dumps(found, ensure_ascii=False, indent=1)


def _public(header: Header) -> Header:
    """Without what is of this place alone: the folder a graph lies in, who asked."""
    shared = kinds.shared(header.graph_source)
    return header.model_copy(
        update={
            "graph_source": header.graph_source if shared else "",
            "origin": "",
            "visitor": "",
        }
    )


class _Header(BaseModel):
    """What the header of a file from anywhere may say."""

    model_config = ConfigDict(extra="ignore")
    id: str = Field(pattern=f"^{_ID}{{1,64}}$")
    question: str = Field(max_length=20 * MAX_QUESTION)
    method: str = Field(pattern=r"^[a-z0-9-]{1,40}$")
    params: dict[str, Any] = {}
    graph: str = Field(max_length=300)
    graph_fingerprint: str = Field("", max_length=100)
    model: str = Field(max_length=300)
    started_at: datetime
    version: str = Field("", max_length=40)
    graph_source: str = Field("", max_length=2000)
    model_source: str = Field("", pattern=r"^[a-z0-9-]{0,40}$")
    parent: str = Field("", pattern=f"^{_ID}{{0,64}}$")
    forked_at: int | None = Field(None, ge=0)
    edits: Edits | None = None
    personal: tuple[tuple[_Cell, _Cell, _Cell], ...] = Field((), max_length=MOST_ROWS)
    dollars: float | None = Field(None, ge=0, lt=1e6)

    @field_validator("params")
    @classmethod
    def _small(cls, params: dict[str, Any]) -> dict[str, Any]:
        if len(json.dumps(params)) > _MOST_PARAMS:
            raise ValueError("the parameters are too long")
        return params

    @field_validator("started_at")
    @classmethod
    def _utc(cls, at: datetime) -> datetime:
        try:
            return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
        except OverflowError:
            raise ValueError("the year is none of the calendar") from None


def imported(data: bytes) -> tuple[Header, list[Record]]:
    """A run from a file that may come from anywhere. Raises DocumentError, in one sentence.

    Nothing in it is believed that can be checked: events are in order and end once, parameters
    are the method's, answer and cost follow from the events. Labels stay what they are, text; a
    graph's address is kept as a name, never opened; a parent counts only where it is known.
    """
    whole = _whole(data)
    try:
        claims = _Header.model_validate(whole.get("run"))
        records = RECORDS.validate_python(whole.get("events"))
    except ValidationError as error:
        raise DocumentError(f"The run in the file cannot be read ({misfit(error, 1)}).") from error
    _check_order(records)
    fields = claims.model_dump(exclude={"started_at", "params", "edits"})
    started_at = claims.started_at.isoformat(timespec="milliseconds")
    return Header(
        **fields,
        params=_params(claims),
        edits=claims.edits,
        started_at=started_at,
        origin="imported",
    ), records


def _whole(data: bytes) -> dict[str, Any]:
    if len(data) > MOST_BYTES:
        raise DocumentError(
            f"The file has {len(data) / (1 << 20):,.0f} MB; a run has at most "
            f"{MOST_BYTES >> 20} MB."
        )
    try:
        whole = from_json(data, allow_inf_nan=False)
    except ValueError as error:
        cut = "EOF" in str(error)
        why = "it ends too early, as if it was not copied whole" if cut else str(error)
        raise DocumentError(f"The file is not JSON: {why}.") from error
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise DocumentError(
            "The file is not a run of KGQA Explorer: choose one that was exported as JSON."
        )
    version = whole.get("version")
    if type(version) is not int or version < 1:
        raise DocumentError("The file does not say which version of the format it has.")
    if version > VERSION:
        raise DocumentError(
            f"The file is of a newer version of KGQA Explorer (format {version}; this one reads "
            f"up to {VERSION}): update the program."
        )
    return whole


def _check_order(records: Sequence[Record]) -> None:
    if len(records) > _MOST_RECORDS:
        raise DocumentError(
            f"The run has {len(records):,} events; at most {_MOST_RECORDS:,} are read."
        )
    if not records or not records[-1].event.terminal:
        raise DocumentError("The run in the file has no end: it was not exported whole.")
    step, at_s = 0, 0.0
    for n, record in enumerate(records):
        if record.seq != n or record.step < step or not at_s <= record.at_s < math.inf:
            raise DocumentError(f"The events of the run are out of order at number {n + 1}.")
        if record.event.terminal and n < len(records) - 1:
            raise DocumentError(f"The run ends at event {n + 1}, and yet goes on.")
        if any(not 0 <= amount < 1e12 for amount in record.cost.model_dump().values()):
            raise DocumentError(f"Event {n + 1} cannot have cost what the file says.")
        step, at_s = record.step, record.at_s


def _params(claims: _Header) -> dict[str, Any]:
    """The parameters as the method has them; as they are for a method this version lacks."""
    method = METHODS.get(claims.method)
    if method is None:
        return claims.params
    known = {k: v for k, v in claims.params.items() if k in method.params.model_fields}
    try:
        return method.params.model_validate(known).model_dump(mode="json")
    except ValidationError as error:
        raise DocumentError(
            f"The parameters of the run do not fit ({misfit(error, 1)})."
        ) from error
