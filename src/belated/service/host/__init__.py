"""Where the service runs: one process or several, what they listen on, and when they end."""

from belated.service.host.processes import serve_many
from belated.service.host.server import Address, check_address, is_loopback, listen, serve

__all__ = ["Address", "check_address", "is_loopback", "listen", "serve", "serve_many"]
