"""How many examples a property is tried with, and texts of every kind that Unicode has.

200 in the suite, always the same ones. `KGQA_PROPERTIES=fuzz` tries 10,000 new ones.
"""

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as some

_CALM = [HealthCheck.too_slow]  # goes by the clock, which says little on a busy machine
settings.register_profile(
    "suite", max_examples=200, deadline=None, derandomize=True, suppress_health_check=_CALM
)
settings.register_profile("fuzz", max_examples=10_000, deadline=None, suppress_health_check=_CALM)
settings.load_profile(os.environ.get("KGQA_PROPERTIES") or "suite")

MANY = settings()  # as the profile says
# for what takes half a second each and tries many names at once
FEWER = settings(max_examples=settings().max_examples // 10)

NASTY = "[](){}<>%#?/\\|^`\"'~:;,.=&@!$*+-_ aZé東🎬\x00\x01\x1f\x7f\x80\x85\x9f\xa0\u00ad"
NASTY += "\u0300\u061c\u200b\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ue000\uf8ff"
NASTY += "\ufdd0\ufdef\ufeff\ufff0\ufffd\ufffe\uffff\U0001fffe\U0001ffff\U000e0001\U000e0fff"
NASTY += "\U000f0000\U0010ffff"

CHARACTERS = some.one_of(
    some.characters(exclude_categories=("Cs",)), some.sampled_from(NASTY), some.sampled_from("ab")
)
SURROGATES = some.characters(min_codepoint=0xD800, max_codepoint=0xDFFF)
LONG = some.text(CHARACTERS, min_size=1, max_size=3).map(lambda text: text * 400)

_SHORT = some.text(CHARACTERS, max_size=12)
TEXTS = some.one_of(_SHORT, _SHORT, _SHORT, LONG)
ANYTHING = some.one_of(TEXTS, some.text(some.one_of(CHARACTERS, SURROGATES), max_size=12))
