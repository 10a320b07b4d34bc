"""Studies over HTTP: who may do what, the routes, and the pages for people."""

from belated.service.app import create_app
from belated.service.server import is_loopback, serve
from belated.service.settings import Limits, Settings
from belated.service.tokens import SCOPES, new_token

__all__ = ["SCOPES", "Limits", "Settings", "create_app", "is_loopback", "new_token", "serve"]
