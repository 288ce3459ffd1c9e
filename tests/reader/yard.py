"""A boat yard's list, and a small choir's graph, for the tests of what is asked of rows."""

from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp

from kgqa_core.ask import bounds
from kgqa_core.ask.events import Answer
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import compass

BOATS = """Ref,Boat,Class,Rented by,Skipper,Out on,Fee,Hours,Deposit paid,Gear,Damage,Refunded
B1,Grey Gull,dinghy,Ada Sund,Nils Orre,2023-05-03,40,4,yes,"oars, bailer",,n/a
B2,Tern,dinghy,Moss Guild,Nils Orre,2023-05-19,55,5,no,"oars, anchor",torn sail,no
B3,Old Pike,punt,Ada Sund,Vera Holm,2023-07-08,30,8,yes,"pole, bailer",,yes
B4,Kestrel,ketch,Ilo Brandt,Vera Holm,2024-06-21,120,9,yes,"anchor, bailer",bent rail,n/a
B5,Little Auk,punt,Moss Guild,Tuva Lind,2024-08-02,25,3,no,"pole, oars",,no
"""

CHOIR = """@prefix s: <https://schema.org/> . @prefix c: <http://choir.example/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
c:ada a s:Person ; s:name "Ada Sund" ; c:voice "alto" ; c:joined "2011-03-01"^^xsd:date .
c:ilo a s:Person ; s:name "Ilo Brandt" ; c:voice "bass" ; c:joined "2004-09-01"^^xsd:date .
c:moor a c:Hall ; s:name "Moor Hall" ; c:seats 80 .
c:kiln a c:Hall ; s:name "The Old Kiln" ; c:seats 150 .
c:k1 a c:Concert ; s:name "Spring Songs" ; c:heldIn c:moor ; c:audience 71 ; c:conductor c:ada .
c:k2 a c:Concert ; s:name "Night Music" ; c:heldIn c:kiln ; c:audience 120 ; c:conductor c:ilo ;
    c:sponsor "Brandt Bakery" .
c:k3 a c:Concert ; s:name "Winter Carols" ; c:heldIn c:kiln ; c:audience 96 ; c:conductor c:ada .
"""


def stock(rows: int = bounds.TESTED + 200) -> str:
    """More lamps and chairs than are read at once, of two colours and a price each."""
    cells = (
        f"N{n},{('lamp', 'chair')[n % 2]},{('red', 'blue')[n % 3 == 0]},{n % 7 + 3}"
        for n in range(rows)
    )
    return "\n".join(("item,product,colour,price", *cells)) + "\n"


@lru_cache(maxsize=3)
def graph(name: str) -> KnowledgeGraph:
    home = Path(mkdtemp(prefix="kgqa-yard-"))
    file = home / name
    texts = {"boat_rentals.csv": BOATS, "choir.ttl": CHOIR, "stock.csv": stock()}
    file.write_text(texts[name], encoding="utf-8")
    load([file], home / "graph")
    return open_folder(home / "graph")


def asked(question: str, name: str = "boat_rentals.csv") -> Answer:
    """What Compass says of it with the rules alone: no word is near another one."""
    tools = Toolkit(graph(name), Offline())
    answer, _ = drain(compass.solve(question, tools, compass.Params(templates=False)))
    return answer


def values(question: str, name: str = "boat_rentals.csv") -> list[str]:
    return sorted(getattr(v, "label", "") or v.value for v in asked(question, name).values)
