"""Presets beside the parameters of a method, on every page that has them."""

from tests.screens.pages import app

__all__ = ["app"]


def preset(page, key="ask", method="react"):
    return next(b for b in page.button_group if b.key == f"{key}:{method}:preset")


def test_as_published_sets_every_parameter_and_ours_sets_them_back(app):
    app.selectbox(key="method").set_value("react").run()
    assert preset(app).value == "ours"
    preset(app).set_value("as published").run()
    walk = next(s for s in app.selectbox if s.key == "ask:react:walk")
    assert (walk.value, preset(app).value) == ("hops", "as published")
    walk.select("sets").run()
    assert preset(app).value is None
    preset(app).set_value("ours").run()
    assert next(s for s in app.selectbox if s.key == "ask:react:memory").value == "off"
    assert not app.exception


def test_a_method_of_no_paper_has_no_presets(app):
    next(s for s in app.selectbox if s.key == "method").select("compass").run()
    assert not [b for b in app.button_group if b.key == "ask:compass:preset"]
