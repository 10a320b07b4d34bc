"""Pages for people: what they see in a browser, drawn from the same studies and by the same rules as the routes."""

from fastapi import APIRouter

from belated.service.dashboard import assets, downloads, log_page, login, overview, reference, study, uploads
from belated.service.dashboard.pages import nowhere

router = APIRouter(include_in_schema=False)
for part in (assets, login, overview, reference, study, downloads, log_page, uploads):
    router.include_router(part.router)

__all__ = ["nowhere", "router"]
