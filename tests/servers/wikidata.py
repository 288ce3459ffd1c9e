"""Wikidata's action API on loopback: search by prefix and by text, entities fifty at a time."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Self
from urllib.parse import parse_qs

from kgqa_core.facts.terms import Entity, Relation, Statement, short_id
from kgqa_core.kg.labels import LabelIndex, Name, fold
from tests.servers.loopback import Loopback, Quiet
from tests.servers.wikidata_json import entity_json

Behaviour = Callable[[dict[str, str]], tuple[int, Any, dict[str, str]]]


def says(body: Any, code: int = 200, **headers: str) -> Behaviour:
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: (code, body, told)


LAGGED = {"error": {"code": "maxlag", "info": "Waiting for a database: 7 seconds lagged."}}


class WikidataServer:
    def __init__(
        self,
        entities: Sequence[Entity],
        relations: Sequence[Relation],
        statements: Sequence[Statement],
        *,
        documents: Sequence[Mapping[str, Any]] = (),
        redirects: Mapping[str, str] | None = None,
    ) -> None:
        """`documents`: entities as whole documents; `redirects`: ids that are other ones now."""
        known = {short_id(one.id): entity_json(one, ()) for one in [*entities, *relations]}
        self._entities: dict[str, Any] = known | {str(d["id"]): d for d in documents}
        self._redirects = dict(redirects or {})
        used = [
            short_id(i) for s in statements for i in (s.subject.id, getattr(s.object, "id", ""))
        ]
        self._names = [
            Name(short_id(e.id), text, i > 0)
            for e in sorted(entities, key=lambda e: -used.count(short_id(e.id)))
            for i, text in enumerate([e.label, *e.aliases])
            if text
        ]
        self._names = [*(name for one in documents for name in _names_of(one)), *self._names]
        self._index = LabelIndex(self._names)
        self.requests: list[tuple[dict[str, str], dict[str, str]]] = []
        self._queue: deque[Behaviour] = deque()

    def will(self, *behaviours: Behaviour) -> None:
        self._queue.extend(behaviours)

    @property
    def url(self) -> str:
        return f"{self._http.url}/w/api.php"

    def __enter__(self) -> Self:
        outer = self

        class Handler(Quiet):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                asked = {key: values[0] for key, values in parse_qs(body).items()}
                outer.requests.append((asked, dict(self.headers.items())))
                behave = outer._queue.popleft() if outer._queue else outer._answer
                code, found, headers = behave(asked)
                data = (found if isinstance(found, str) else json.dumps(found)).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Connection", "close")
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(ConnectionError):  # the client hung up
                    self.wfile.write(data)

        self._http = Loopback(Handler).__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.__exit__()

    def _answer(self, asked: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        action = asked.get("action")
        if action == "wbsearchentities":
            return 200, {"search": self._search(asked), "success": 1}, {}
        if action == "wbgetentities":
            return 200, self._get(asked), {}
        if action == "query" and asked.get("list") == "search":
            found = self._index.find(asked["srsearch"].replace("~", ""), int(asked["srlimit"]))
            fuzzy = "~" in asked["srsearch"]
            titles = [{"ns": 0, "title": m.id} for m in found if fuzzy or m.score > 0.5]
            return 200, {"query": {"search": titles}}, {}
        return 200, {"error": {"code": "badvalue", "info": "Unrecognized value."}}, {}

    def _search(self, asked: dict[str, str]) -> list[dict[str, str]]:
        """By the start of a label or alias, the better known first."""
        text = asked["search"]
        ids = dict.fromkeys(
            name.id
            for name in self._names
            if (fold(text) and fold(name.text).startswith(fold(text))) or name.text.startswith(text)
        )
        return [{"id": one} for one in list(ids)[: int(asked["limit"])]]

    def _get(self, asked: dict[str, str]) -> dict[str, Any]:
        ids = asked["ids"].split("|")
        if len(ids) > 50:
            return {"error": {"code": "toomanyvalues", "info": "Too many values."}}
        bad = next((one for one in ids if len(one) > 9), None)
        if bad:
            info = "Could not find an entity with the ID."
            return {"error": {"code": "no-such-entity", "info": info, "id": bad}}
        return {"entities": {one: self._entity(one, asked) for one in ids}, "success": 1}

    def _entity(self, one: str, asked: dict[str, str]) -> dict[str, Any]:
        """The parts and languages asked for; of a redirect those of where it leads."""
        target = self._redirects.get(one, one)
        found = self._entities.get(target)
        if found is None:
            return {"id": one, "missing": True}
        parts = asked.get("props", "labels|descriptions|aliases|claims").split("|")
        languages = asked.get("languages", "en").split("|")
        entity: dict[str, Any] = {"type": found["type"], "id": target}
        for part in parts:
            of = found.get(part, {})
            texts = part in ("labels", "descriptions", "aliases")
            entity[part] = {k: v for k, v in of.items() if not texts or k in languages}
        if target != one:
            entity["redirects"] = {"from": one, "to": target}
        return entity


def _names_of(document: Mapping[str, Any]) -> list[Name]:
    texts = [(document["labels"].get(code, {}).get("value"), False) for code in ("en", "mul")]
    for code in ("en", "mul"):
        texts += [(one["value"], True) for one in document["aliases"].get(code, ())]
    return [Name(str(document["id"]), text, alias) for text, alias in texts if text]
