"""Ports for servers in processes of their own, which take some seconds until they listen."""

import random
import socket
from contextlib import suppress


def free_port() -> int:
    """A free one, below those that the system gives to connections: nobody has it by chance."""
    while True:
        port = random.SystemRandom().randrange(20_000, 30_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
