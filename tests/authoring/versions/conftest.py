"""The fixtures of the bank's tests serve here too."""

from __future__ import annotations

from tests.bank.conftest import trial

__all__ = ["trial"]
