"""The other browser tests count on it: nothing leaves this machine, and what would is seen."""

import pytest

from tests.patience import wait_until
from tests.screens.browser import Visitor

ASKED = ["http://evil.example/1", "http://192.0.2.1/2", "http://[2001:db8::1]/3"]
PAGE = "".join(f"<img src={url}>" for url in ASKED)


@pytest.mark.browser
def test_what_would_leave_this_machine_is_seen_and_goes_nowhere(browser):
    visitor = Visitor(browser.new_page())
    failed = []
    visitor.page.on("requestfailed", lambda request: failed.append((request.url, request.failure)))
    visitor.page.set_content(PAGE)
    visitor.page.evaluate("new WebSocket('ws://evil.example/4')")
    wait_until(lambda: visitor.page.evaluate("true") and len(failed) == 3)
    wait_until(lambda: visitor.page.evaluate("true") and len(visitor.outside.urls) == 4)
    assert sorted(failed) == sorted((url, "net::ERR_NAME_NOT_RESOLVED") for url in ASKED)
    assert sorted(visitor.outside.urls) == sorted([*ASKED, "ws://evil.example/4"])
    visitor.page.close()
