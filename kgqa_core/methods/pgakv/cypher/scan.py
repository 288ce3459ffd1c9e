"""A model's reply → the parts of its Cypher script.

A part is one clause, or one path of a CREATE with several: small enough that a mistake in it
costs nothing else. Strings, comments and brackets are respected; whether a part is Cypher is
for the grammar to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<string>'(?:\\.|[^'\\])*(?:'|\Z)|\"(?:\\.|[^\"\\])*(?:\"|\Z))"
    r"|(?P<tick>`[^`]*(?:`|\Z))"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>;)|(?P<word>\w+)|(?P<space>\s+)|(?P<other>.)",
    re.DOTALL,
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_PATTERN = re.compile(r"\s*(?:\(|(?:\w+|`[^`]*`)\s*=\s*\()")
_SCHEMA = re.compile(
    r"\s+(?:OR\s+REPLACE\s+)?(?:CONSTRAINT|UNIQUE|INDEX|\w+\s+INDEX|DATABASE|USER|ROLE|ALIAS)\b",
    re.IGNORECASE,
)
_VERBS = frozenset(
    "CREATE MERGE SET MATCH OPTIONAL RETURN WITH UNWIND DELETE DETACH REMOVE CALL LOAD FOREACH "
    "DROP UNION USE SHOW ALTER GRANT DENY REVOKE BEGIN COMMIT ROLLBACK EXPLAIN PROFILE".split()
)
_STARTS = re.compile(
    r"^[ \t]*(?:(?:CREATE|MERGE|MATCH|OPTIONAL\s+MATCH)\s*(?=\(|\w+\s*=\s*\(|CONSTRAINT|INDEX)"
    r"|(?:DETACH\s+)?DELETE\s+\w|SET\s+\w+\s*[.:+=]|LOAD\s+CSV|CALL\s+[\w{]|UNWIND\s|FOREACH\s*\("
    r"|REMOVE\s+\w+\s*[.:]|DROP\s|USE\s+\w+)",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(
    r"^(?:(?!//).)*?\b(?P<verb>(?:CREATE|MERGE)\s*\()", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True)
class Part:
    """`statement` counts those that a semicolon ends; `line` counts from 1."""

    verb: str
    text: str
    line: int
    statement: int = 0


def script_of(reply: str) -> tuple[str, bool]:
    """The reply with all that is no Cypher blanked out, so that lines keep their numbers, and
    whether that was prose. Fenced blocks win over what stands between them; without a clause
    the text is empty."""
    edges = [0, *(at for fence in _FENCE.finditer(reply) for at in fence.span()), len(reply)]
    blocks = list(zip(edges[::2], edges[1::2], strict=True))
    inside = [b for b in blocks[1::2] if _begin(reply[slice(*b)]) is not None]
    chosen = inside or [b for b in blocks if _begin(reply[slice(*b)]) is not None]
    kept, prose, last = "", False, 0
    for start, end in chosen:
        start += _begin(reply[start:end]) or 0
        prose = prose or _is_prose(reply[last:start])
        kept += "\n" * reply.count("\n", last, start) + reply[start:end]
        last = end
    return (kept, prose or _is_prose(reply[last:])) if chosen else ("", False)


def _is_prose(text: str) -> bool:
    plain = _COMMENT.sub("", _FENCE.sub("", text))
    return any(c.isalpha() for c in plain)


def _begin(text: str) -> int | None:
    """Where the first clause begins: at the start of a line if there is one."""
    if found := _STARTS.search(text):
        return found.start()
    inline = _INLINE.search(text)
    return inline.start("verb") if inline else None


def parts(script: str, *, by_lines: bool = False) -> Iterator[Part]:
    """The parts in order. `by_lines`: a line that begins with a verb begins a clause, whatever
    string or bracket seems open: for scripts in which one was forgotten."""
    if not by_lines:
        yield from _clauses(script, 1, 0)
        return
    cuts = [m.start() for m in _STARTS.finditer(script)]
    statement = 0
    for start, end in zip([0, *cuts], [*cuts, len(script)], strict=True):
        chunk = script[start:end]
        line = 1 + script.count("\n", 0, start)
        for part in _clauses(chunk, line, statement):
            yield part
            statement = part.statement
        statement += chunk.rstrip().endswith(";")


def _clauses(text: str, line: int, statement: int) -> Iterator[Part]:
    begin: int | None = None
    verb, depth, last = "", 0, ""
    for m in _TOKEN.finditer(text):
        kind, token = m.lastgroup, m[0]
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "end" and depth == 0:
            if begin is not None:
                yield from _split(verb, text[begin : m.start()], _at(text, begin, line), statement)
            begin, verb = None, ""
            statement += 1
        elif kind == "word" and depth == 0 and _is_verb(text, m, last, verb):
            if begin is not None:
                yield from _split(verb, text[begin : m.start()], _at(text, begin, line), statement)
            begin, verb = m.start(), _verb(text, m)
        if kind == "word":
            last = token.upper()
        elif kind not in ("space", "comment"):
            last = token
    if begin is not None:
        yield from _split(verb, text[begin:], _at(text, begin, line), statement)


def _at(text: str, position: int, line: int) -> int:
    return line + text.count("\n", 0, position)


def _verb(text: str, word: re.Match[str]) -> str:
    verb = word[0].upper()
    return "SCHEMA" if verb == "CREATE" and _SCHEMA.match(text, word.end()) else verb


def _is_verb(text: str, word: re.Match[str], last: str, verb: str) -> bool:
    """Whether a word begins a clause, rather than being prose, or part of the clause before."""
    token = word[0]
    upper = token.upper()
    if upper not in _VERBS or last in (":", ".", "-", "DETACH", "OPTIONAL"):
        return False
    if (
        upper in ("CREATE", "MATCH", "SET")
        and last in ("ON", "CREATE", "MATCH")
        and verb == "MERGE"
    ):
        return False
    if upper == "SET" and verb == "SCHEMA":
        return False
    line_start = not text[text.rfind("\n", 0, word.start()) + 1 : word.start()].strip()
    if upper in ("CREATE", "MERGE", "MATCH"):
        found = _PATTERN.match(text, word.end()) or _SCHEMA.match(text, word.end())
        return found is not None or (token.isupper() and line_start)
    return token.isupper() or (token.islower() and line_start)


def _split(verb: str, text: str, line: int, statement: int) -> Iterator[Part]:
    """A CREATE of several paths, one part each."""
    if verb != "CREATE":
        yield Part(verb, text.strip(), line, statement)
        return
    start = len("CREATE")
    depth, whole = 0, True
    cuts = []
    for m in _TOKEN.finditer(text, start):
        if m.lastgroup == "open":
            depth += 1
        elif m.lastgroup == "close":
            depth -= 1
        elif m.lastgroup == "string":
            whole = whole and len(m[0]) > 1 and m[0][-1] == m[0][0]
        elif m[0] == "," and depth == 0:
            cuts.append(m.start())
        whole = whole and depth >= 0
    if depth or not whole:  # something is missing: nodes after a comma are the best guess
        cuts = [m.start() for m in re.compile(r",\s*(?=\()").finditer(text, start)]
    for a, b in zip([start, *(c + 1 for c in cuts)], [*cuts, len(text)], strict=True):
        path = text[a:b]
        if path.strip():
            at = line + text.count("\n", 0, a + len(path) - len(path.lstrip()))
            yield Part(verb, f"CREATE {path.strip()}", at, statement)


def depth_of(text: str) -> int:
    """How deep brackets nest, strings and comments aside."""
    depth = deepest = 0
    for m in _TOKEN.finditer(text):
        depth += (m.lastgroup == "open") - (m.lastgroup == "close")
        deepest = max(deepest, depth)
    return deepest
