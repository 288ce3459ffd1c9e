"""A broken part of a script, read loosely and written strictly.

What models get wrong is mostly small: an apostrophe inside quotes, a forgotten bracket or comma,
a label of two words, a number with a unit. This reads paths and assignments as they were meant
and writes them so that the grammar accepts them; what it cannot read stays broken.
"""

from __future__ import annotations

import re

_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?=\s*(?:[,}\])\n]|$))")
_KEY = re.compile(r"\s*(?:`[^`\n]*`|'[^'\n]*'|\"[^\"\n]*\"|\w[\w /.-]{0,60}?)\s*[:=](?![:=])")
_CALL = re.compile(r"[A-Za-z_]\w*\s*\(\s*(?:'[^'\n]*'|\"[^\"\n]*\")?\s*\)")
_RIGHT = re.compile(r"\s*[-–—−=]*\s*(?:>|→|⟶)?")
_ARROW = re.compile(r"\s*(?P<left><|←)?\s*[-–—−=→>]*\s*(?P<open>\[)?")
_PLAIN = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"'})
_CLOSERS = frozenset(",}])")


class Unreadable(Exception):
    """Not even loosely."""


def mend(verb: str, text: str) -> str:
    """The part again, in strict Cypher. Raises Unreadable."""
    body = text[len(verb) :].translate(_PLAIN)
    if verb == "SET":
        return f"SET {_Loose(body).assignments()}"
    if verb not in ("CREATE", "MERGE"):
        raise Unreadable(verb)
    return f"{verb} {_Loose(body).paths()}"


class _Loose:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    # -- paths ---------------------------------------------------------------------------

    def paths(self) -> str:
        written = [self._path()]
        while self._take(","):
            self._space()
            if self._peek() != "(":
                break
            written.append(self._path())
        return ", ".join(written)

    def _path(self) -> str:
        self._space()
        if named := re.compile(r"[\w`]+\s*=\s*").match(self.text, self.at):
            self.at = named.end()
        if self._peek() != "(":
            raise Unreadable("no node")
        written = self._node()
        while True:
            while self._take(")"):  # one too many
                pass
            before = self.at
            arrow = _ARROW.match(self.text, self.at)
            assert arrow is not None  # every part of it may be missing
            if not arrow["open"] and not re.search(r"[-–—−→]", arrow[0]):
                self.at = before
                return written
            self.at = arrow.end()
            detail = self._detail() if arrow["open"] else ""
            right = _RIGHT.match(self.text, self.at)
            assert right is not None
            self.at = right.end()
            self._space()
            if self._peek() != "(":
                self.at = before
                return written
            ends = ("<-", "-") if arrow["left"] else ("-", "->")
            written += f"{ends[0]}[{detail}]{ends[1]}{self._node()}"

    def _node(self) -> str:
        self.at += 1
        head = self._until("{)", stop=r"\s*[-–]+\s*\[|\n\s*\n")
        written = _head(head)
        if self._take("{"):
            written += f" {self._map(')')}"
        if not self._take(")"):
            self._space()
            self._take("}")
            self._take(")")
        return f"({written})"

    def _detail(self) -> str:
        head = self._until("{]", stop=r"\s*[-–]+>?\s*\(")
        name, _, kind = head.partition(":")
        if not kind.strip():  # [KNOWS] for [:KNOWS]
            name, kind = "", name
        kind = re.split(r"[|*]", kind)[0]
        written = f"{_name(name)}:{_name(kind)}" if name.strip() else f":{_name(kind)}"
        if not kind.strip():
            raise Unreadable("a relation without a type")
        if self._take("{"):
            written += f" {self._map(']')}"
        self._take("]")
        return written

    # -- maps and values -----------------------------------------------------------------

    def _map(self, closer: str) -> str:
        """The rest of a map; the closer of what holds it ends it too."""
        pairs: list[str] = []
        while True:
            self._space()
            while self._take(","):
                self._space()
            if self._take("}") or self.at >= len(self.text) or self._peek() == closer:
                return "{" + ", ".join(pairs) + "}"
            key = _KEY.match(self.text, self.at)
            if key is None:
                raise Unreadable(f"no property at “{self.text[self.at : self.at + 20]}”")
            self.at = key.end()
            name = key[0].rstrip(":= \t\n").strip().strip("'\"`")
            pairs.append(f"{_name(name)}: {self._value()}")

    def _value(self) -> str:
        self._space()
        char = self._peek()
        if char in ("'", '"', "‘", "’"):
            return self._string()
        if char == "[":
            self.at += 1
            items: list[str] = []
            while True:
                self._space()
                while self._take(","):
                    self._space()
                if self._take("]") or self.at >= len(self.text) or self._peek() in "})":
                    return "[" + ", ".join(items) + "]"
                items.append(self._value())
        if char == "{":
            self.at += 1
            return self._map("}")
        if call := _CALL.match(self.text, self.at):
            self.at = call.end()
            return call[0]
        if grouped := _GROUPED.match(self.text, self.at):
            self.at = grouped.end()
            return grouped[0].replace(",", "")
        return self._bare()

    def _bare(self) -> str:
        """A number, true, false, null, or words without quotes up to what ends a value."""
        start = self.at
        while self.at < len(self.text):
            char = self.text[self.at]
            grouped = char == "," and re.compile(r",\d{3}(?!\d)").match(self.text, self.at)
            if (char in ",}])\n" and not grouped) or (
                char.isspace() and _KEY.match(self.text, self.at)
            ):
                break
            self.at += 1
        word = self.text[start : self.at].strip().strip("'\"‘’").strip()
        if not word:
            raise Unreadable("a property without a value")
        if word.casefold() in ("true", "false", "null"):
            return word.casefold()
        if _NUMBER.fullmatch(word):
            return word.replace("_", "").lstrip("+").removesuffix(".")
        return quoted(word)

    def _string(self) -> str:
        """Up to the quotation mark after which a value can end; those before are part of it."""
        opened = self._peek()
        mark = "'" if opened in "‘’'" else '"'
        closing = "'’" if mark == "'" else '"'
        start = self.at + 1
        line_end = self.text.find("\n", start)
        line_end = len(self.text) if line_end < 0 else line_end
        at, close = start, None
        while at < len(self.text):
            char = self.text[at]
            if char == "\\":
                at += 2
                continue
            if char in closing and self._ends_value(at + 1):
                close = at
                break
            if at == line_end and close is None and mark not in self.text[at + 1 : at + 400]:
                break
            at += 1
        if close is None:  # forgotten: the line ends it, but for its brackets
            row = self.text[start:line_end]
            close = start + len(row.rstrip().rstrip(";").rstrip("})] ,"))
            self.at = close
        else:
            self.at = close + 1
        return quoted(re.sub(r"\\(['\"\\])", r"\1", self.text[start:close]))

    def _ends_value(self, at: int) -> bool:
        space = _SPACE.match(self.text, at)
        rest = space.end() if space else at
        if rest >= len(self.text) or self.text[rest] in _CLOSERS:
            return True
        return rest > at and _KEY.match(self.text, rest) is not None

    # -- assignments ---------------------------------------------------------------------

    def assignments(self) -> str:
        item = re.compile(
            r"\s*(?P<node>`[^`]*`|\w+)\s*(?:\.\s*(?P<key>`[^`]*`|[\w -]+?)\s*=|(?P<op>\+?=)|"
            r"(?P<labels>(?::\s*[\w ]+)+))"
        )
        written = []
        while found := item.match(self.text, self.at):
            self.at = found.end()
            node = _name(found["node"])
            if found["labels"]:
                written.append(
                    node + "".join(f":{_name(x)}" for x in found["labels"].split(":")[1:])
                )
            elif found["key"]:
                written.append(f"{node}.{_name(found['key'])} = {self._value()}")
            else:
                self._space()
                if not self._take("{"):
                    raise Unreadable("no map")
                written.append(f"{node} {found['op']} {self._map(';')}")
            self._space()
            if not self._take(","):
                break
        if not written:
            raise Unreadable("no assignment")
        return ", ".join(written)

    # -- characters ----------------------------------------------------------------------

    def _space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found is not None  # it may be empty
        self.at = found.end()

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take(self, char: str) -> bool:
        self._space()
        if self._peek() == char:
            self.at += 1
            return True
        return False

    def _until(self, ends: str, stop: str) -> str:
        found = re.compile(f"[{re.escape(ends)}]|{stop}").search(self.text, self.at)
        end = found.start() if found else len(self.text)
        text, self.at = self.text[self.at : end], end
        return text


def quoted(text: str) -> str:
    """Any text as a Cypher string."""
    plain = " ".join(text.split())
    return "'" + plain.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _head(text: str) -> str:
    """`a:Mountain Range` as the grammar wants it."""
    if re.search(r"[\[\](]", text):
        raise Unreadable(f"no node at “{text[:20]}”")
    name, *labels = re.split(r"[:&|]", text)
    return _name(name) + "".join(f":{_name(label)}" for label in labels if label.strip())


def _name(text: str) -> str:
    """Between backticks, where any name is one; empty stays empty."""
    plain = " ".join(text.replace("`", " ").strip().strip("'\"").split())
    return f"`{plain}`" if plain else ""
