"""JSON as the standard has it, and requests that carry it."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from fastapi import Request

from belated.errors import RateError
from belated.service.http.refusals import Refused
from belated.service.service import service_of

# A body of this many bytes is parsed in about a millisecond.
SMALL = 65_536


class StrictRequest(Request):
    """A request whose JSON is what the standard calls JSON."""

    async def json(self) -> Any:
        """The body; a large one is parsed while others are served."""
        body = await self.body()
        if len(body) <= SMALL:
            return read_json(body)
        try:
            return await service_of(self).parsing(partial(read_json, body), self.state.admitted)
        except RateError as error:
            raise Refused(error) from None


def read_json(body: bytes) -> Any:
    """What a JSON text says; a JSONDecodeError whatever is wrong with it, NaN and half of a surrogate pair included."""
    try:
        text = body.decode()
        found = json.loads(text, parse_constant=_refuse)
        if "\\u" in text:
            # Half of a pair is a text in Python, and in no file and on no page.
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except json.JSONDecodeError:
        raise
    except RecursionError:
        reason = "it is nested too deeply"
    except UnicodeError:
        reason = "it is no UTF-8, or has half of a surrogate pair"
    except ValueError as error:
        reason = str(error).partition(";")[0]
    raise json.JSONDecodeError(reason, "", 0)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")
