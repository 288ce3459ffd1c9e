"""What of a graph is drawn: the path of the answer, what it leaves out folded into counts.

While a run goes on, its frontier is drawn as well. Whatever is folded is counted on the node it
hangs on and can be opened there; many neighbours of one kind become one node that lists them.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import networkx as nx

from kgqa_core import text
from kgqa_core.facts import relations
from kgqa_core.facts.terms import LEFT_OPEN
from kgqa_core.render.graph import GraphEdge, GraphNode, GraphView, cut

MOST_ALIKE = 6  # neighbours of one kind drawn one by one; more of them are a list
MOST_SIDE_BY_SIDE = 2  # the same, where the picture is narrow
_ROW = 36  # characters of a name in a list
_TOLD = 40  # members that a list's own tip names
_SHORT = 24  # of a description that tells things of one name apart
_FIXED = {False: ("anchor", "answer"), True: ("answer",)}  # states never folded, by `over`


def focused(
    view: GraphView,
    *,
    over: bool = True,
    opened: Collection[str] = (),
    everything: bool = False,
    most: int = MOST_ALIKE,
) -> GraphView:
    """The view to draw. `over`: the run has ended; `opened`: ids of nodes shown with all around.

    `everything`: nothing is folded, only listed. `most`: so many neighbours of one kind are drawn
    one by one.
    """
    if everything:
        return _told_apart(_loose(_crowds(_alike(view, most), most), most))
    nodes = {n.id: n for n in view.nodes}
    kept = _kept(view, over)
    shown = {end for e in kept for end in (e.source, e.target)}
    shown |= _begun(view, shown, over) | {n.id for n in view.nodes if n.state in _FIXED[over]}
    if not over:
        shown |= {n.id for n in view.nodes if n.state in ("candidate", "dead_end")}
        shown -= _aside(view, over)
    elif not any(n.state == "answer" for n in view.nodes):
        shown |= {
            n.id for n in view.nodes if n.state in ("dead_end", "path") and n.kind != "more"
        } - _aside(view, over)
    shown |= _isolated(view) - _aside(view, over) - {n.id for n in view.nodes if n.anchor}
    asked = [i for i in opened if i in nodes]
    for e in view.edges:
        if any(end in asked for end in (e.source, e.target)) and e not in kept:
            kept.append(e)
            shown |= {e.source, e.target}

    drawn = set(kept)
    folded: Counter[str] = Counter()
    for e in view.edges:
        if e not in drawn:
            near = next((i for i in (e.source, e.target) if i in shown), None)
            near = near or _above(nodes, e.source, shown)
            if near is not None:
                folded[near] += nodes[e.target].count or 1
    in_order = [e for e in view.edges if e in drawn]
    left = [
        replace(n, folded=folded[n.id], opened=n.id in asked) for n in view.nodes if n.id in shown
    ]
    return _told_apart(listed(GraphView(tuple(left), tuple(in_order)), most))


def _told_apart(view: GraphView) -> GraphView:
    """Things of one name, each with a word on what it is: nobody sees a name twice unexplained."""
    names = Counter(n.label for n in view.nodes if n.kind == "entity")
    nodes = []
    for n in view.nodes:
        name, line, rest = n.title.partition("\n")
        if n.kind == "entity" and names[n.label] > 1 and n.description not in ("", name):
            n = replace(n, title=f"{name} ({cut(n.description, _SHORT)}){line}{rest}")
        nodes.append(n)
    return GraphView(tuple(nodes), view.edges)


def _kept(view: GraphView, over: bool) -> list[GraphEdge]:
    """The edges that are drawn unasked."""
    nodes = {n.id: n for n in view.nodes}
    edges = [e for e in view.edges if nodes[e.target].kind != "more"]
    anchors = [n.id for n in view.nodes if n.anchor]
    if not over:
        live = [e for e in edges if e.state != "pruned" or e.provenance != "retrieved"]
        return _joined(edges, live, anchors)
    firm = [e for e in edges if e.state == "cited" or e.provenance != "retrieved"]
    if any(e.state == "cited" for e in firm):  # what was only asked for has told nothing
        firm = [e for e in firm if not _asked_for(e)]
    answers = {n.id for n in view.nodes if n.state == "answer"}
    counted = {e.source for e in firm if e.provenance == "computed" and e.target in answers}
    firm = _without_kinds(firm, answers | counted, set(anchors))
    # nor is what was computed on the way, unless it is the answer
    if answers:
        firm = [e for e in firm if e.provenance != "computed" or e.target in answers]
    walked = [e for e in edges if e.state == "path" and e.provenance == "retrieved"]
    ends = {i for e in firm for i in (e.source, e.target) if e.provenance in ("retrieved",)}
    goals = answers | ends
    if not goals:
        return firm + walked
    graph: nx.Graph = nx.Graph()
    graph.add_nodes_from(nodes)
    for cost, some in ((1.0, walked), (0.01, firm)):
        for e in some:
            graph.add_edge(e.source, e.target, weight=cost, edge=e)
    kept = dict.fromkeys(firm)
    for starts, targets in ((anchors, goals), (sorted(goals), set(anchors))):
        for start in starts:
            kept.update(dict.fromkeys(_way(graph, start, targets - {start})))
    return list(kept)


def _asked_for(edge: GraphEdge) -> bool:
    """Whether a draft leaves open what stands at one of its ends."""
    drafted = edge.provenance in ("proposed", "corrected")
    return drafted and any(i.startswith(LEFT_OPEN) for i in (edge.source, edge.target))


def _without_kinds(
    edges: Sequence[GraphEdge], answers: Collection[str], anchors: Collection[str]
) -> list[GraphEdge]:
    """Without that each of many answers is of the kind asked for, and what that kind is of.

    It is true, and no part of the way to them.
    """
    kinds = [e for e in edges if relations.belongs(e.label, "class", "subclass")]
    facts = [e for e in edges if e not in kinds and e.provenance != "computed"]
    led = {end for e in facts for end in (e.source, e.target)}  # else the kind leads there
    kept = [e for e in edges if e not in kinds or (e.source in answers and e.source not in led)]
    told = [e for e in kinds if e.source not in answers or relations.belongs(e.label, "subclass")]
    reached = {*anchors, *(end for e in kept for end in (e.source, e.target))}
    while more := [e for e in told if e.source in reached]:
        kept += more
        reached |= {e.target for e in more}
        told = [e for e in told if e not in more]
    return [e for e in edges if e in kept]


def _joined(
    edges: Collection[GraphEdge], live: Collection[GraphEdge], anchors: Collection[str]
) -> list[GraphEdge]:
    """The live edges, and those by which the walk came from an anchor to what they join."""
    graph: nx.Graph = nx.Graph()
    graph.add_nodes_from(anchors)
    for cost, some in ((1.0, [e for e in edges if e not in live]), (0.01, live)):
        for e in some:  # no walk came by what was computed, nor by what two things both are
            if cost == 1.0 and relations.belongs(e.label, "class"):
                continue
            far = cost + 100.0 * (e.provenance == "computed")
            graph.add_edge(e.source, e.target, weight=far, edge=e)
    kept = dict.fromkeys(live)
    for end in dict.fromkeys(i for e in live for i in (e.source, e.target)):
        kept.update(dict.fromkeys(_way(graph, end, set(anchors) - {end})))
    return list(kept)


def _way(graph: nx.Graph, start: str, targets: Collection[str]) -> Iterable[GraphEdge]:
    """The edges of a shortest way to the nearest target; none when there is none."""
    reached = nx.single_source_dijkstra_path_length(graph, start)
    near = (
        min((reached[t], t) for t in targets if t in reached) if targets & reached.keys() else None
    )
    if near is None:
        return
    path = nx.dijkstra_path(graph, start, near[1])
    for a, b in itertools.pairwise(path):
        yield graph.edges[a, b]["edge"]


def _begun(view: GraphView, shown: Collection[str], over: bool) -> set[str]:
    """The anchors to draw: at the end those from which there is a way to the answer, or, without
    an answer, those that the question names.
    """
    anchors = {n.id for n in view.nodes if n.anchor}
    answered = over and any(n.state == "answer" for n in view.nodes)
    if over and not answered:  # nothing led on from what is only like a name
        named = {n.id for n in view.nodes if n.anchor and (n.named or n.id in shown)}
        return named or anchors
    return (anchors & set(shown) if answered else set()) or anchors


def _isolated(view: GraphView) -> set[str]:
    joined = {end for e in view.edges for end in (e.source, e.target)}
    return {n.id for n in view.nodes if n.id not in joined}


def _aside(view: GraphView, over: bool) -> set[str]:
    """Nodes without an edge that are not worth a place.

    On the way those are names that were not meant, at the end also what was seen or reached
    without a line that is drawn: beside an answer all of it, else what is counted where it was
    reached from.
    """
    if not over:  # once the walk has begun, what else a name may mean is behind it
        begun = any(n.anchor for n in view.nodes) and bool(view.edges)
        states = ["pruned", *(("candidate",) if begun else ())]
        return {n.id for n in view.nodes if n.state in states} & _isolated(view)
    states = ["pruned", "candidate"]
    if any(n.state == "answer" for n in view.nodes):
        states += ["frontier", "path"]
    counted = {n.parent for n in view.nodes if n.kind == "more"}
    loose = _isolated(view)
    return {
        n.id
        for n in view.nodes
        if n.state in states or (n.id in loose and n.state == "path" and n.parent in counted)
    }


def _above(nodes: dict[str, GraphNode], start: str, shown: Collection[str]) -> str | None:
    """The nearest node that is shown on the way back from one that is not."""
    seen: set[str] = set()
    at: str | None = start
    while at is not None and at not in seen:
        if at in shown:
            return at
        seen.add(at)
        at = nodes[at].parent if at in nodes else None
    return None


def listed(view: GraphView, most: int = MOST_ALIKE) -> GraphView:
    """Many neighbours of one kind as one node: by their relation, then what is left undecided.

    So are many things of one state that nothing joins to anything.
    """
    return _loose(_crowds(_alike(_with_own(view, most), most), most), most)


def _with_own(view: GraphView, most: int) -> GraphView:
    """Of many neighbours alike, each one's own values stand in its row: a film and its year."""
    nodes = {n.id: n for n in view.nodes}
    ends = Counter(end for e in view.edges for end in (e.source, e.target))
    own: defaultdict[str, list[GraphEdge]] = defaultdict(list)
    around: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for e in view.edges:
        how = (e.label, e.state, e.provenance, e.side)
        if nodes[e.target].kind == "literal" and ends[e.target] == 1 and not e.side:
            own[e.source].append(e)
            around[e.source].append(("", "own", *how))
        else:
            around[e.source].append((e.target, "out", *how))
            around[e.target].append((e.source, "in", *how))
    alike: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for node in (nodes[i] for i in own):
        others = sorted(way for way in around[node.id] if way[1] != "own")
        if others and _single(node):
            alike[(node.state, node.kind, *sorted(around[node.id]))].append(node.id)
    taken = [i for members in alike.values() if len(members) > most for i in members]
    if not taken:
        return view
    gone = {e.id: i for i in taken for e in own[i]}
    keys = {i: " ".join(e.key for e in own[i]) for i in taken}
    for i in taken:
        name, line, rest = nodes[i].title.partition("\n")
        values = ", ".join(nodes[e.target].label for e in own[i])
        nodes[i] = replace(nodes[i], title=f"{name} · {values}{line}{rest}")
    leaves = {e.target for i in taken for e in own[i]}
    edges = []
    for e in view.edges:
        host = next((i for i in (e.source, e.target) if i in keys), None)
        if e.id in gone:
            continue
        edges.append(e if host is None else replace(e, key=f"{e.key} {keys.pop(host)}".strip()))
    return GraphView(tuple(n for n in nodes.values() if n.id not in leaves), tuple(edges))


def _alike(view: GraphView, most: int) -> GraphView:
    """Lists nodes that are joined to the same others in the same way."""
    around: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for e in view.edges:
        how = (e.label, e.state, e.provenance, e.side)
        around[e.source].append((e.target, "out", *how))
        around[e.target].append((e.source, "in", *how))
    alike: defaultdict[tuple[object, ...], list[GraphNode]] = defaultdict(list)
    for n in view.nodes:
        if n.id in around and _single(n):
            alike[(n.state, n.kind, *sorted(around[n.id]))].append(n)
    found: list[tuple[str, list[GraphNode]]] = []
    taken: set[str] = set()
    for kind, members in sorted(alike.items(), key=lambda item: -len(item[1])):
        first = sorted(around[members[0].id])[0]
        if len(members) > most and first[0] not in taken:
            rows = [replace(m, label=cut(m.title.partition("\n")[0], _ROW)) for m in members]
            name = f"list:{first[0]}:{first[2]}:{first[1]}:{kind[0]}"
            name = f"{name}:{first[-1]}" if first[-1] else name
            if any(name == other for other, _ in found):  # what is counted comes of two parents
                name = f"{name}:{members[0].id}"
            found.append((name, rows))
            taken.update(m.id for m in members)
    return _with_lists(view, found)


def _crowds(view: GraphView, most: int) -> GraphView:
    """Lists what hangs on a node by one edge each and was not chosen, with the relations' names."""
    ends = Counter(end for e in view.edges for end in (e.source, e.target))
    nodes = {n.id: n for n in view.nodes}
    crowds: defaultdict[tuple[str, str, str], list[GraphNode]] = defaultdict(list)
    for e in view.edges:
        drafted = "drafts" if _asked_for(e) else ""
        if e.state not in ("frontier", "pruned", "path"):
            continue
        if e.provenance != "retrieved" and not drafted:
            continue
        for leaf, hub in ((e.target, e.source), (e.source, e.target)):
            if ends[leaf] == 1 and leaf != hub and _single(nodes[leaf]) and not nodes[leaf].folded:
                if nodes[leaf].state != "answer" and (not drafted or leaf.startswith(LEFT_OPEN)):
                    against = "← " if leaf == e.source else ""  # as in plans and templates
                    named = f"{against}{e.label}: {nodes[leaf].label}"
                    said = replace(nodes[leaf], label=named)
                    crowds[(hub, e.state, drafted)].append(said)
                break
    for called in ("", "drafts"):
        found = [
            (f"list:{hub}:{drafted}:{state}", members)
            for (hub, state, drafted), members in crowds.items()
            if len(members) > most and drafted == called
        ]
        view = _with_lists(view, found, called or "facts")
    return view


def _loose(view: GraphView, most: int) -> GraphView:
    """Lists what stands alone."""
    alone = _isolated(view)
    states: defaultdict[str, list[GraphNode]] = defaultdict(list)
    for n in view.nodes:
        if n.id in alone and _single(n):
            name = cut(n.title.partition("\n")[0], _ROW)
            states[n.state].append(replace(n, label=name))
    several = {s: members for s, members in states.items() if len(members) > max(most, MOST_ALIKE)}
    return _with_lists(view, [(f"list:::{s}", members) for s, members in several.items()])


def _single(node: GraphNode) -> bool:
    return node.kind in ("entity", "literal") and not (node.anchor or node.opened)


def _with_lists(
    view: GraphView, found: Collection[tuple[str, list[GraphNode]]], called: str = ""
) -> GraphView:
    """The view with these members as lists. `called`: what they are, under no relation's name."""
    if not found:
        return view
    anyhow = bool(called)
    gone = {m.id: name for name, members in found for m in members}
    lists = {name: _list(name, members, called) for name, members in found}
    nodes: dict[str, GraphNode] = {}
    for n in view.nodes:
        name = gone.get(n.id, n.id)
        nodes.setdefault(name, lists.get(name, n))
    edges: dict[tuple[str, ...], GraphEdge] = {}
    for e in view.edges:
        source, target = gone.get(e.source, e.source), gone.get(e.target, e.target)
        if (source, target) == (e.source, e.target):
            edges[(e.id,)] = e
            continue
        if anyhow and target in lists:
            e = replace(e, label="")
        elif anyhow:  # of a crowd, no relation's direction is that of all
            e, source, target = replace(e, label=""), target, source
        key = (source, target, e.label, e.state, e.provenance, e.side)
        had = edges.get(key)
        edges[key] = (
            replace(
                e, id=f"{source}>{target}:{e.label}:{e.state}{e.side}", source=source, target=target
            )
            if had is None
            else replace(had, key=f"{had.key} {e.key}".strip(), title=f"{had.title}\n{e.title}")
        )
    short = (replace(e, title=_cut_lines(e.title)) for e in edges.values())
    return GraphView(tuple(nodes.values()), tuple(short))


def _list(name: str, members: Sequence[GraphNode], called: str) -> GraphNode:
    first = members[0]
    called = called or ("values" if first.kind == "literal" else _plural(members))
    return GraphNode(
        id=name,
        label=f"{len(members):,} {called}",
        title=f"{len(members):,} {called}\n{text.listed((m.label for m in members), _TOLD)}",
        kind="list",
        state=first.state,
        provenance=first.provenance,
        depth=first.depth,
        parent=first.parent,
        sort=first.sort,
        members=tuple(members),
    )


def _plural(members: Collection[GraphNode]) -> str:
    sorts = {m.sort for m in members}
    words = {
        "person": "people", "place": "places", "work": "works", "group": "organisations",
        "event": "events",
    }  # fmt: skip
    return words.get(next(iter(sorts)), "things") if len(sorts) == 1 else "things"


def _cut_lines(text: str, most: int = 12) -> str:
    lines = text.split("\n")
    return text if len(lines) <= most else "\n".join([*lines[:most], "…"])
