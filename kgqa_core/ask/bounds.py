"""How much each method reads, compares, names and tells, where it is not tokens that decide.

What a prompt may hold is decided in `shown.py`, by kind, nearness and tokens. These are the numbers
beside it, all in one place: no method has a cut of its own. Whoever cuts takes the nearest to the
question, and says what is left: `more`, or a note in the trace.
"""

from __future__ import annotations

from collections.abc import Sequence

# -- linking: what a name may mean
LINKED = 300  # names that are looked up at once
CANDIDATES = 6  # a model is asked to choose from
ALIKE = 2  # of these, that only resemble a name which others bear
MEANT = 3  # PG&AKV: entities looked around for one name

# -- walking: sets of things
TESTED = 2_000  # members that are tested; a larger set is left to the graph that can filter it
SAMPLE = 50  # members of such a set that are read
WIDTH = 300  # things whose statements are read at once
EARLIER = 4  # members shown of a set that another one came of
TOGETHER, LEAST = 16, 4  # relations with examples of several sets that are new, and of each
FOR_ITSELF = 5  # facts that stand for a thing of the question that is the answer
GLIMPSED = 3  # things of a set that is looked around; of a larger one none is
GLOSSES = 6  # of things that are asked for by a description: looked at
OF_A_TEST = 3  # things that a test names, told in the title of its step
INSTEAD = 8  # values or details that are named where what was asked for is not there

# -- searching: ends that are gone on from
ENDS = 16  # Think-on-Graph: whose relations a prompt lists
TO_EXPLORE = 30  # ODA: that a model may choose from
AT_ONCE = 3  # ODA: explored in one round, where a model names several
FRONT = 30  # ODA: a search for a path goes on from
NEIGHBOURS = 40  # KB-BINDER: whose relations are candidates for later triples of a draft
BELIEVED = 12  # Compass: of a hop, on the way to a belief
ON_A_RULE = 5  # Compass: read at each hop to a premise
BEAM = 2  # Compass: relations that a phrase may mean
BEHIND, BEHIND_ALL = 3, 6  # Compass: relations that are looked behind, of a start and of all,
THINGS = 2  # and things of each
FAILED = 3  # Compass: around which facts are read when steps from them failed
TOLD_OF = 12  # Compass: whose facts a text is written from
IN_LIST = 300  # PG&AKV: members of a list that are read
FILLED = 20  # PG&AKV: values of an open end that later rounds go on with

# -- choosing: what is put before a model beside facts
TEMPLATES = 80  # Keqing: of one hop
LED_NOWHERE = 20  # Keqing: things of a step without an answer that a picture shows
OFFERED = 24  # PG&AKV: relations of the graph that a draft may use
DESCRIBED = 30  # PG&AKV: things of the gold graph
OF_A_START, DETAILED, OF_EACH = 20, 5, 5  # Compass: relations, those with details, of each details
GROUPS, IN_GROUP = 3, 4  # Compass: relations behind others
LOOKED_AT = 40  # Compass: values that are looked at one by one; of more none is chosen
ON_THE_WAY = 6  # Compass: members of a step
KINDS = 3  # Compass: that are named of a value
PLANNED_BY = 500  # Compass: tokens of the facts that a prompt for a plan holds

# -- facts beside a claim, a rule, a value
BESIDE_CLAIM = 40  # KGR: the nearest ones
BETWEEN = 20  # KGR: those between things of a claim, before all others
ON_RULE = 25  # Compass: that bear on a rule
PASSAGES = 6  # Compass
CITED = 200  # KB-BINDER: values whose facts are cited
NEEDED = 20  # Think-on-Graph: facts that stand once more beside those that had no room
LISTS = 6  # that a prompt may say of whether they are all there
FOR_YES = 20  # KB-BINDER: facts that are cited for a yes
COMPARED = 30  # Keqing: values whose facts an extremum cites

# -- telling
ANSWERS = 30  # Keqing: of a sub-question, written out
CHAIN_ENDS = 10  # Keqing: of a chain that an event tells
NAMED_IN_EVENT = 5  # Compass: values
NAMED_IN_REASON = 3  # Compass: values
TOLD = 3  # facts told with a yes or no
COUNTED = 12  # Compass: counted things that are named
TOLD_ABOUT = 2  # Compass: things of the question whose relations an abstention tells


def more(names: Sequence[str], most: int) -> list[str]:
    """As many names as are told, and how many there are beside them."""
    left = len(names) - most
    return [*names[:most], *([f"{left:,} more"] if left > 0 else [])]
