"""Studies over HTTP: who may do what, the routes, and the pages for people."""

from belated.service.app import create_app
from belated.service.host import Address, check_address, is_loopback, listen, serve, serve_many
from belated.service.people import SCOPES, new_token
from belated.service.settings import Limits, ServiceSettings

__all__ = [
    "SCOPES",
    "Address",
    "Limits",
    "ServiceSettings",
    "check_address",
    "create_app",
    "is_loopback",
    "listen",
    "new_token",
    "serve",
    "serve_many",
]
