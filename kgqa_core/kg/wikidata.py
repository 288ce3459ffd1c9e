"""Live Wikidata: names through its search and entity API, facts through SPARQL.

The search API knows spellings and ranks by how well known a thing is; the query service has
neither. Both sites ask for one request at a time, a name, and patience (`polite`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import Request

from kgqa_core import network
from kgqa_core.errors import SourceRejected, SourceUnavailable
from kgqa_core.facts.terms import Entity, Hit
from kgqa_core.kg import layout, polite, wikibase
from kgqa_core.kg.base import WD
from kgqa_core.kg.cache import DiskCache
from kgqa_core.kg.endpoint import tell_odd, understood
from kgqa_core.kg.labels import LabelIndex, Match, Name, bare_words, squeezed
from kgqa_core.kg.polite import Meter, Reach
from kgqa_core.kg.profiles import PROFILES, Profile
from kgqa_core.kg.sparql import SparqlGraph
from kgqa_core.network import Reply

SERVICE = "https://query.wikidata.org/sparql"
API = "https://www.wikidata.org/w/api.php"

_IDS = 50  # of one wbgetentities request
_FOUND = 20  # entities one search brings
_MAXLAG_S = 5
_FUZZY = 4  # letters from which a word is searched with typing errors
_LONGEST = 250  # characters the search takes
_PAGE = re.compile(  # what describes no thing but a page of a Wikimedia site
    r"Wikimedia (?:disambiguation|human name|category|list|template|module|portal|project|"
    r"permanent|duplicated?|internal)\b"
)


def has_wikidata(url: str) -> bool:
    """Whether an endpoint holds all of Wikidata, so that its API can search it."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    qlever = host in PROFILES["qlever"].hosts and parts.path.rstrip("/").endswith("wikidata")
    return qlever or host in PROFILES["wikidata"].hosts


class WikidataGraph(SparqlGraph):
    """All of Wikidata, at its own query service or at another copy of it."""

    def __init__(
        self,
        url: str = SERVICE,
        *,
        api: str = API,
        name: str = "Wikidata",
        profile: Profile | None = None,
        cache: DiskCache | None = None,
        reach: Reach | None = None,
    ) -> None:
        known = PROFILES["qlever" if "qlever" in url else "wikidata"]
        super().__init__(url, name=name, profile=profile or known, cache=cache, reach=reach)
        self._api = _Api(api, name, reach or Reach())

    @property
    def meters(self) -> dict[str, Meter]:
        """Of both sites."""
        return {self._endpoint.line.host: self.meter, self._api.line.host: self._api.line.meter}

    @understood
    def search(self, mentions: Sequence[str], limit: int = 10) -> list[list[Hit]]:
        """One request for each mention that is new, one for all names found."""
        found = self._once_each(
            "found", list(dict.fromkeys(mentions)), self._find_ids, self._api.line
        )
        entities = {e.id: e for e in self.describe([i for ids in found.values() for i in ids]) if e}
        results = []
        for mention in mentions:
            ids = [layout.full_id(one) for one in found[mention]]
            known = [entities[one] for one in ids if one in entities]
            things = [one for one in known if not _PAGE.match(one.description)]
            results.append(_ranked(mention, things or known, limit))
        return results

    @understood
    def describe(self, ids: Sequence[str]) -> list[Entity | None]:
        wanted = [layout.full_id(one).removeprefix(WD) for one in ids]
        asked = [one for one in dict.fromkeys(wanted) if wikibase.ID.fullmatch(one)]
        keys = {one: f"{self._api.url}\0entity\0{one}" for one in asked}
        stored = self._cache.get(list(keys.values()))
        found = {one: stored[key] for one, key in keys.items() if key in stored}
        self._api.line.hit(len(found))
        missing = [one for one in asked if one not in found]
        for start in range(0, len(missing), _IDS):
            batch = missing[start : start + _IDS]
            fresh = self._get_entities(batch)
            self._cache.put({keys[one]: fresh[one] for one in batch if self._sound(fresh[one])})
            found |= fresh
        entities = {one: _entity(known) for one, known in found.items() if known}
        return [entities.get(one) for one in wanted]

    def _sound(self, known: Any) -> bool:
        """Whether all of it can be read; what is odd is told and not kept."""
        odd: list[str] = []
        if known and (_entity(known, odd.append) is None or odd):
            self._tell_odd()
            return False
        return True

    def _tell_odd(self) -> None:
        self._unsure.count += 1
        tell_odd(self.name, self._api.line.meter)

    def _find_ids(self, mentions: Sequence[str]) -> dict[str, list[Any]]:
        return {mention: self._find(squeezed(mention)) for mention in mentions}

    def _find(self, mention: str) -> list[str]:
        """By label and alias; then in the text of items; then with typing errors."""
        text = mention.encode("utf-8", "replace").decode().replace("\0", "")[:_LONGEST]
        if not text:
            return []
        found = self._api.get(
            action="wbsearchentities",
            search=text,
            language="en",
            uselang="en",
            type="item",
            limit=str(_FOUND),
        )
        ids = self._ids(found, "id")
        if ids or len(mention) > _LONGEST:
            return ids
        words = bare_words(text)
        if not words:
            return []
        fuzzy = [f"{w}~" if len(w) >= _FUZZY and w.isalpha() else w for w in words]
        for query in dict.fromkeys((" ".join(words), " ".join(fuzzy))):
            found = self._api.get(
                action="query", list="search", srsearch=query, srnamespace="0", srlimit=str(_FOUND)
            )
            ids = self._ids(found.get("query", {}), "title")
            if ids:
                return ids
        return []

    def _ids(self, found: Any, key: str) -> list[str]:
        """What a search found."""
        rows = _list(found, "search")
        ids = [one[key] for one in rows if isinstance(one, Mapping) and _is_id(one.get(key))]
        if len(ids) < len(rows):
            self._tell_odd()
        return ids

    def _get_entities(self, ids: Sequence[str]) -> dict[str, Any]:
        """Each id with what the API says of it; None for one that is not there."""
        found = self._api.get(
            action="wbgetentities",
            ids="|".join(ids),
            props="labels|descriptions|aliases",
            languages="en|mul",
        )
        entities = found.get("entities")
        if not isinstance(entities, Mapping):
            raise self._api.strange()
        parts = ("id", "labels", "descriptions", "aliases")
        known: dict[str, Any] = dict.fromkeys(ids)
        for one in ids:
            entity = entities.get(one, {"missing": True})
            if not isinstance(entity, Mapping):
                known[one] = {"id": None}
            elif "missing" not in entity:
                known[one] = {k: entity[k] for k in parts if k in entity} or {"id": None}
        return known


def _entity(known: Mapping[str, Any], odd: wikibase.Odd = wikibase.ignored) -> Entity | None:
    """None for what does not say which it is."""
    try:
        return wikibase.entity_of(known, odd)
    except (KeyError, TypeError, ValueError):
        return None


def _is_id(one: Any) -> bool:
    return isinstance(one, str) and wikibase.ID.fullmatch(one) is not None


def _ranked(mention: str, entities: Sequence[Entity], limit: int) -> list[Hit]:
    """The API's finds, scored like those of any other graph; its own order decides ties."""
    names = [
        Name(e.id, text, alias)
        for e in entities
        for alias, texts in ((False, [e.label]), (True, list(e.aliases)))
        for text in texts
        if text
    ]
    by_id = {e.id: e for e in entities}
    order = {e.id: i for i, e in enumerate(entities)}
    matches: list[Match] = LabelIndex(names).find(mention, most=max(50, 2 * limit))
    best = sorted(matches, key=lambda m: (-m.score, order[m.id]))[:limit]
    return [Hit(by_id[m.id], m.score, m.text) for m in best]


def _list(found: Any, key: str) -> list[Any]:
    rows = found.get(key, []) if isinstance(found, Mapping) else []
    return rows if isinstance(rows, list) else []


class _Api:
    """MediaWiki's action API, asked one thing at a time."""

    def __init__(self, url: str, name: str, reach: Reach) -> None:
        self.url, self.name = url, name
        self.line = polite.line_to(url, parallel=1)
        self._reach = reach
        self._agent = polite.user_agent(network.LIBRARY, reach.contact)

    def get(self, **parameters: str) -> dict[str, Any]:
        asked = {**parameters, "format": "json", "formatversion": "2", "maxlag": str(_MAXLAG_S)}
        asked = {key: value for key, value in asked.items() if value}
        reply = self.line.send(lambda: self._send(asked), self.name, self._reach.timeout_s)
        found = self._read(reply)
        if error := found.get("error"):
            code = str(error.get("code", "")) if isinstance(error, Mapping) else str(error)
            if code in ("no-such-entity", "unresolved-redirect"):
                return self._without(parameters, str(error.get("id", "")))
            raise SourceRejected(
                f"“{self.name}” refuses the request ({code[:80]}): "
                f"{' '.join(str(error.get('info', '')).split())[:160]}.",
                source=self.name,
                request=json.dumps(asked),
            )
        return found

    def strange(self) -> SourceUnavailable:
        return SourceUnavailable(
            f"The answer of “{self.name}” at {self.url} is damaged or of another kind. Try again, "
            "or check the address.",
            source=self.name,
        )

    def _without(self, parameters: Mapping[str, str], bad: str) -> dict[str, Any]:
        """One id that never was makes the API refuse all fifty."""
        ids = parameters.get("ids", "").split("|")
        left = [one for one in ids if one != bad]
        if not left or len(left) == len(ids):
            return {"entities": {}}
        return self.get(**{**parameters, "ids": "|".join(left)})

    def _send(self, parameters: Mapping[str, str]) -> Reply:
        reply = network.fetch(
            Request(
                self.url,
                urlencode(parameters).encode(),
                {"User-Agent": self._agent, "Accept-Encoding": "gzip"},
            ),
            self.name,
            timeout_s=self._reach.timeout_s,
            public=self._reach.hosted,
        )
        return replace(reply, lagging_s=_lag(reply.headers, reply.body))

    def _read(self, reply: Reply) -> dict[str, Any]:
        if reply.status == 403:
            raise SourceRejected(
                f"“{self.name}” refuses access (403): set KGQA_CONTACT to say who runs this.",
                source=self.name,
            )
        if 300 <= reply.status < 500:
            raise SourceRejected(
                f"{self.url} is not the API of “{self.name}” ({reply.status}): check the address.",
                source=self.name,
            )
        if reply.status >= 500:
            raise SourceUnavailable(
                f"“{self.name}” failed with error {reply.status}. Try again later.",
                source=self.name,
            )
        try:
            found = network.read_json(reply.body)
        except ValueError as error:
            raise self.strange() from error
        if not isinstance(found, dict):
            raise self.strange()
        return found


def _lag(headers: Mapping[str, str], body: bytes) -> float | None:
    """MediaWiki reports errors with status 200: the body decides."""
    start = body[:400]
    if b'"maxlag"' in start or b'"ratelimited"' in start:
        told = network.retry_after(headers)
        return told if told is not None else float(_MAXLAG_S)
    return None
