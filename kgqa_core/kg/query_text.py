"""SPARQL as text, written from checked terms only; and queries of other people, completed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import pyoxigraph as ox

from kgqa_core.errors import SourceRejected
from kgqa_core.kg.labels import bare_words, squeezed


def iri(text: str) -> str:
    """An IRI as SPARQL writes it. Raises SourceRejected for text that is none."""
    try:
        return str(ox.NamedNode(text))
    except ValueError as error:
        raise SourceRejected(
            f"“{_shown(text)}” cannot stand in a query: it is not an IRI ({error}). "
            "Correct the id where it comes from."
        ) from error


def _shown(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode()[:80].split())


def literal(text: str, language: str = "") -> str:
    clean = text.encode("utf-8", "replace").decode()
    return str(ox.Literal(clean, language=language) if language else ox.Literal(clean))


def named_node(text: str) -> ox.NamedNode | None:
    """None for text that is no IRI, whatever it contains, and for blank nodes."""
    try:
        return None if text.startswith("_:") else ox.NamedNode(text)
    except ValueError:
        return None


def listed(iris: Iterable[str]) -> str:
    return ", ".join(iri(one) for one in sorted(iris))


def one_of(variable: str, start: str, exactly: str) -> str:
    if exactly:
        return f"FILTER({variable} = {exactly})"
    return f'FILTER(STRSTARTS(STR({variable}), "{start}"))'


def each(
    select: str, near: str, iris: Sequence[str], test: str, most: int, pattern: str = ""
) -> str:
    """So many edges of each entity: a sub-query with a limit for every one."""
    parts = (
        f"{{ SELECT {select} {{ VALUES {near} {{ {one} }} {pattern or select} {test} }} "
        f"LIMIT {most} }}"
        for one in iris
    )
    return f"{{ {' UNION '.join(parts)} }}"


def with_prefixes(sparql: str, prefixes: Mapping[str, str]) -> str:
    """The query with those prefixes declared that it uses and does not declare itself."""
    plain = _OPAQUE.sub(" ", sparql)
    own = set(re.findall(r"(?i)\bPREFIX\s+([\w.-]*):", plain))
    used = [name for name in prefixes if name not in own and re.search(rf"\b{name}:", plain)]
    return "".join(f"PREFIX {name}: <{prefixes[name]}>\n" for name in used) + sparql


def with_limit(sparql: str, most: int) -> str:
    """The query with a LIMIT, if it is a SELECT that can take one and has none."""
    depth, outside = 0, ""
    for ch in _OPAQUE.sub(" ", sparql):
        depth += (ch == "{") - (ch == "}")
        outside += ch if depth == 0 else ""
    words = {word.upper() for word in re.findall(r"[?$]?\w+", outside)}
    if "SELECT" not in words or words & {"LIMIT", "VALUES"}:
        return sparql
    return f"{sparql}\nLIMIT {most}"


def keywords(sparql: str) -> set[str]:
    """The bare words of a query, in capitals."""
    return {word.upper() for word in re.findall(r"\w+", _NO_KEYWORD.sub(" ", sparql))}


def strange_dataset(sparql: str) -> str:
    """The first FROM or FROM NAMED of a query that names no graph of the web; empty without one.

    An endpoint may take `FROM <file:…>` for a file of its own machine, and open it.
    """
    plain = _OPAQUE.sub(lambda found: found[0] if found[0].startswith("<") else " ", sparql)
    known = dict(re.findall(r"(?i)\bPREFIX\s*([\w.-]*):\s*<([^>]*)>", plain))
    for found in _DATASET.finditer(plain):
        named, prefix = found.groups()
        address = re.sub(
            r"\\[uU]([0-9A-Fa-f]{8}|[0-9A-Fa-f]{4})",
            lambda code: chr(min(int(code[1], 16), 0x10FFFF)),
            known.get(prefix, "") if named is None else named,
        )
        if not re.match(r"(?i)(https?|urn):", address):
            return " ".join(found[0].split())
    return ""


_DATASET = re.compile(
    r"(?<![?$@:\w-])FROM\b\s*(?:NAMED\b\s*)?(?:<([^>]*)>|([\w.-]*):)", re.IGNORECASE
)
# strings, addresses and comments: what may hold any word
_OPAQUE = re.compile(
    r"""'''(?:[^'\\]|\\.|'(?!''))*''' | \"{3}(?:[^"\\]|\\.|"(?!""))*\"{3}
    | '(?:[^'\\\n\r]|\\.)*' | "(?:[^"\\\n\r]|\\.)*"
    | <(?:[^<>"{}|^`\\\x00-\x20]|\\[uU][0-9A-Fa-f]{4,8})*> | \#[^\n\r]*
    """,
    re.VERBOSE | re.DOTALL,
)
# and variables, language tags and prefixed names
_NO_KEYWORD = re.compile(
    rf"{_OPAQUE.pattern} | [?$]\w+ | @[A-Za-z-]+ | (?:\w[\w.-]*)?:(?:[\w:%-]|\.(?=[\w:%-])|\\.)*",
    _OPAQUE.flags,
)


def spellings_of(mention: str) -> set[str]:
    """How a name may be written where only exact labels are found quickly."""
    text = squeezed(mention)
    if not text or len(text) > 200:
        return set()
    bare = " ".join(bare_words(text))
    forms = {text, bare} if bare else {text}
    forms |= {text.partition(" ")[2]} - {""}  # without the article
    for form in tuple(forms):
        forms |= {form.lower(), form.title(), form.upper(), form[:1].upper() + form[1:]}
    return forms
