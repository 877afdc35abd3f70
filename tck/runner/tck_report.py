"""Tells the runner of each test as it ends: one JSON object a line, on file descriptor 3."""

import json
import os

import pytest

_report = os.fdopen(3, "w", buffering=1)
_MARKERS = ("must", "should", "may", "jsonrpc", "http_json", "grpc")


def _tell(**fields):
    _report.write(json.dumps(fields) + "\n")


def _outcome(report):
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "passed"
    return report.outcome


def _reason(report):
    if report.skipped and isinstance(report.longrepr, tuple):
        return report.longrepr[2]
    crash = getattr(report.longrepr, "reprcrash", None)
    return crash.message if crash else str(report.longrepr or "")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session):
    _tell(kind="collected", count=len(session.items))


def pytest_collectreport(report):
    if report.failed:
        _tell(kind="broken", id=report.nodeid, reason=str(report.longrepr)[-2000:])


def pytest_runtest_logreport(report):
    # A set-up or a tear-down counts only when it decides the outcome.
    if report.when != "call" and report.passed:
        return
    outcome = _outcome(report)
    _tell(
        kind="test",
        id=report.nodeid,
        outcome=outcome,
        markers=[name for name in _MARKERS if name in report.keywords],
        reason="" if outcome == "passed" else _reason(report)[:2000],
    )
