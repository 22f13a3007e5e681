"""Libraries that only these commands need, loaded where they are used."""

from __future__ import annotations

import importlib
from typing import Any


def library(name: str) -> Any:
    """A module of the extra `eval`.

    Raises:
        ValueError: if it is not installed; the message says how to get it.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ValueError(f"this needs {name}: pip install 'debate-gym[eval]'") from error
