from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from kgqa_core.errors import SettingsError, misfit
from kgqa_core.settings import load_settings


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = ""


class Whole(BaseModel):
    rounds: int = Field(1, ge=1, le=10_000_000)
    share: float = Field(0.5, gt=0.25, lt=1)
    sure: bool = True
    way: Literal["in", "out"] = "in"
    names: list[str] = []
    inner: list[Inner] = []
    pair: tuple[int, int] = (0, 0)
    code: str = Field("", max_length=3)

    @field_validator("code")
    @classmethod
    def _known(cls, code: str) -> str:
        if code == "XX":
            raise ValueError("Wikidata has no XX.")
        return code


def wrong(model: type[BaseModel], given: object, most: int = 3) -> str:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(given)
    return misfit(caught.value, most)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rounds": 0}, "“rounds” must be at least 1"),
        ({"rounds": 10_000_001}, "“rounds” must be at most 10000000"),
        ({"rounds": "many"}, "“rounds” must be a whole number"),
        ({"rounds": 1.5}, "“rounds” must be a whole number"),
        ({"share": 0.1}, "“share” must be more than 0.25"),
        ({"share": 1}, "“share” must be less than 1"),
        ({"share": "half"}, "“share” must be a number"),
        ({"sure": "perhaps"}, "“sure” must be true or false"),
        ({"way": "up"}, "“way” must be 'in' or 'out'"),
        ({"names": 7}, "“names” must be a list"),
        ({"names": ["a", 7]}, "“names.1” must be text"),
        ({"inner": [7]}, "“inner.0” must be an object"),
        ({"inner": [{"txt": "a"}]}, "“inner.0.txt” is not known"),
        ({"pair": [1]}, "“pair.1” is missing"),
        ({"code": "XX"}, "“code”: Wikidata has no XX"),
        ({"code": "long"}, "“code” must have at most 3 characters"),
        (7, "it must be an object"),
    ],
)
def test_a_field_that_does_not_fit_is_named_with_the_reason_in_plain_words(given, said):
    assert wrong(Whole, given) == said


def test_several_are_told_and_the_rest_is_counted():
    given = {"rounds": 0, "share": 0, "sure": "?", "names": 7}
    assert wrong(Whole, given, 1) == "“rounds” must be at least 1; and 3 more"
    assert wrong(Whole, given, 4).count(";") == 3


def test_what_a_file_says_is_cut_short():
    class Free(BaseModel):
        values: dict[str, int]

    assert len(wrong(Free, {"values": {"x" * 10_000: "y"}})) < 300


def test_a_field_may_go_by_another_name():
    with pytest.raises(ValidationError) as caught:
        Whole(rounds=0)
    assert misfit(caught.value, name=str.upper) == "ROUNDS must be at least 1"


def test_words_that_look_like_a_placeholder_are_words():
    class Braces(BaseModel):
        way: Literal["{a}", "b"]

    assert wrong(Braces, {"way": "{0}"}) == "“way” must be '{a}' or 'b'"


def test_settings_that_do_not_fit_are_named_by_their_variables(monkeypatch):
    monkeypatch.setenv("KGQA_WORKERS", "many")
    monkeypatch.setenv("KGQA_TEMPERATURE", "4")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value) == (
        "Correct these settings (environment or .env): KGQA_TEMPERATURE must be at most 2; "
        "KGQA_WORKERS must be a whole number."
    )
