"""A small world of people, towns and a book, and what R3 makes of questions over it."""

from functools import lru_cache

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.kg.union import from_rows
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.r3 import algorithm as r3

ROWS = [
    ("Edda Lorn", "instance of", "human"),
    ("Edda Lorn", "date of birth", "1881"),
    ("Edda Lorn", "date of death", "1950"),
    ("Edda Lorn", "spouse", "Ivo Lorn"),
    ("Ivo Lorn", "instance of", "human"),
    ("Ivo Lorn", "date of birth", "1902"),
    ("Ivo Lorn", "date of death", "1977"),
    ("Ivo Lorn", "child", "Mila Lorn"),
    ("Tomas Ruhl", "instance of", "human"),
    ("Tomas Ruhl", "date of birth", "1640"),
    ("Tomas Ruhl", "date of death", "1699"),
    ("Edda Lorn", "occupation", "violinist"),
    ("Ivo Lorn", "occupation", "carpenter"),
    ("Ivo Lorn", "child", "Nils Lorn"),
    ("Edda Lorn", "country of citizenship", "Norway"),
    ("Ivo Lorn", "country of citizenship", "Chile"),
    ("Edda Lorn", "award received", "Nobel Prize in Physics"),
    ("Tomas Ruhl", "position held", "King of Denmark"),
    ("Salt Harbour", "instance of", "town"),
    ("Salt Harbour", "country", "Norway"),
    ("Salt Harbour", "population", "9000"),
    ("Port Amaro", "instance of", "town"),
    ("Port Amaro", "country", "Chile"),
    ("Port Amaro", "population", "70000"),
    ("Norway", "continent", "Europe"),
    ("Chile", "continent", "South America"),
    ("The Red Kite", "instance of", "novel"),
    ("The Red Kite", "publication date", "1931"),
    ("Salt Harbour Brewery", "instance of", "brewery"),
    ("Salt Harbour Brewery", "inception", "1820"),
    ("Salt Harbour Brewery", "dissolved, abolished or demolished date", "1911"),
]


@lru_cache(maxsize=1)
def world():
    return from_rows(ROWS, name="world")


def told(question, kg):
    """The verdict, whether it is certain, and the rules that were stated."""
    tools = Toolkit(kg, Offline())
    answer, seen = drain(r3.solve(question, tools, r3.Params(pruning="truncate")))
    rules = [e.text for e in seen if isinstance(e, events.Axiom)]
    return answer.text.split(":")[0], answer.certain, rules
