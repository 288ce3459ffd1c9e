"""What a SPARQL endpoint can do wrong: name, behaviour, the error it becomes, words of that."""

import gzip

from kgqa_core.errors import SourceError, SourceRejected, SourceUnavailable
from tests.servers.sparql import (
    cut,
    cut_quietly,
    drip,
    drip_headers,
    hang,
    hang_up,
    packed,
    says,
    status,
)

HTML = "<!DOCTYPE html><html><body>Welcome</body></html>"
FAULTS = [
    ("html", says(HTML, "text/html"), SourceRejected, "web page instead of results"),
    ("html as text", says(HTML, "text/plain"), SourceRejected, "web page"),
    ("xml", says("<sparql/>", "application/xml"), SourceRejected, "in JSON"),
    ("empty", says(""), SourceRejected, "in JSON"),
    ("list", says("[]"), SourceUnavailable, "damaged"),
    ("other json", says('{"a": 1}'), SourceUnavailable, "damaged"),
    ("400", status(400, "Parse error\n at line 1"), SourceRejected, "Parse error at line 1"),
    ("401", status(401), SourceRejected, "login"),
    ("403", status(403, HTML, "text/html"), SourceRejected, "refuses access"),
    ("404", status(404, HTML, "text/html"), SourceRejected, "check the address"),
    ("405", status(405), SourceRejected, "address"),
    ("413", status(413), SourceRejected, "too long"),
    ("418", status(418), SourceRejected, "418"),
    ("500", status(500, "Virtuoso S1T00 Error SR171"), SourceUnavailable, "S1T00"),
    ("502", status(502, HTML, "text/html"), SourceUnavailable, "error 502"),
    ("cut", cut, SourceUnavailable, "broke off"),
    ("cut quietly", cut_quietly, SourceUnavailable, "broke off"),
    ("not gzip", packed(b"{}"), SourceUnavailable, "damaged"),
    ("cut gzip", packed(gzip.compress(b"{" * 5_000)[:-20]), SourceUnavailable, "damaged"),
    ("bomb", packed(lambda: gzip.compress(b" " * (65 << 20))), SourceRejected, "more than 64 MB"),
    ("brotli", packed(b"x", "br"), SourceUnavailable, "damaged"),
    ("deep", says("[" * 100_000), SourceUnavailable, "damaged"),
    ("deep object", says('{"head":' * 100_000), SourceUnavailable, "damaged"),
    ("1e309", says('{"head": {"vars": []}, "results": 1e309}'), SourceUnavailable, "damaged"),
    ("latin-1", says(b'{"head": "\xe9"}'), SourceUnavailable, "damaged"),
    ("redirect to nothing", status(302, Location="http://[::1/"), SourceUnavailable, "address"),
    ("redirect to no port", status(302, Location="http://x:99999/"), SourceUnavailable, "address"),
    ("hang", hang, SourceUnavailable, "did not answer within 0.3 s"),
    ("drip", drip, SourceUnavailable, "did not answer within 0.3 s"),
    ("drip headers", drip_headers, SourceUnavailable, "did not answer within 0.3 s"),
    ("hang up", hang_up, SourceUnavailable, "Try again"),
    ("redirect to a file", status(302, Location="file:///etc/passwd"), SourceError, ""),
]
