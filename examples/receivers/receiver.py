"""Receives the webhooks of an A2A Hub: verifies each, uses it once and in order, prints one JSON line.

    python3 examples/receivers/receiver.py --port 8080 --secret whsec_...

Python 3.9 or later, the standard library only. ed25519 and JWT need a library: see docs/webhooks.md.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
MAX_BODY = 4 * 1024 * 1024  # bodies are up to 1 MiB unless the operator of the hub allows more
REMEMBERED_IDS = 256
REMEMBERED_LANES = 10_000
MARK = "urn:a2a-hub:push:v1"


class Refused(Exception):
    """The request is not to be trusted. The message never holds a secret."""


def main():
    options = read_options()
    receiver = Receiver(options.secret, options.bearer, options.token)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 60  # of a connection that says nothing

        def do_POST(self):
            length = self.headers.get("content-length", "")
            if not re.fullmatch(r"[0-9]{1,9}", length):
                return self.answer(411)
            if int(length) > MAX_BODY:
                return self.answer(413)
            self.answer(receiver.status_for(self.headers, self.rfile.read(int(length))))

        def do_OPTIONS(self):  # the hub asks whether it may call; any may here
            origin = self.headers.get("webhook-request-origin")
            self.send_response(200 if origin else 405)
            if origin:
                self.send_header("WebHook-Allowed-Origin", origin)
            self.send_header("content-length", "0")
            self.end_headers()

        def answer(self, status):
            if status in (411, 413):  # the body was not read, so nothing can follow it
                self.close_connection = True
            self.send_response(status)
            if status != 204:
                self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer((options.host, options.port), Handler)
    print(f"listening at http://{options.host}:{server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


def read_options():
    parser = argparse.ArgumentParser(
        description="Receives the webhooks of an A2A Hub and prints one JSON line for each event.",
        epilog="All that is given must hold; one at least is needed. --secret, --bearer and --token may be given "
        "several times while they rotate. Others on this machine can read options: WEBHOOK_SECRET, "
        "WEBHOOK_BEARER and WEBHOOK_TOKEN may hold them instead, several between spaces.",
    )
    parser.add_argument("--port", type=int, default=0, help="0 (the default) takes any free port")
    parser.add_argument("--host", default="127.0.0.1", help="default %(default)s")
    parser.add_argument("--secret", action="append", metavar="KEY", help="HMAC: whsec_...")
    parser.add_argument("--bearer", action="append", metavar="TOKEN", help="Authorization: Bearer")
    parser.add_argument("--token", action="append", help="A2A-Notification-Token")
    options = parser.parse_args()
    for name in ("secret", "bearer", "token"):
        kept = os.environ.get(f"WEBHOOK_{name.upper()}")
        given = getattr(options, name) or (kept.split(" ") if kept is not None else [])
        if not all(given):
            parser.error(f"--{name} must not be empty")
        setattr(options, name, given)
    if not (options.secret or options.bearer or options.token):
        parser.error("nothing would be verified: give --secret, --bearer or --token")
    try:
        options.secret = [secret_bytes(secret) for secret in options.secret]
    except ValueError:
        parser.error("--secret must be whsec_ and the base64 of 24 to 64 bytes")
    return options


def secret_bytes(secret):
    if not secret.startswith("whsec_"):
        raise ValueError
    key = base64.b64decode(secret[len("whsec_"):], validate=True)
    if not 24 <= len(key) <= 64:
        raise ValueError
    return key


class Receiver:
    """Verifies requests, and takes each event once and in order."""

    def __init__(self, secrets, bearers, tokens):
        self.secrets, self.bearers, self.tokens = secrets, bearers, tokens
        # It forgets with the process. Keep it in your database, beside what you keep of each task.
        self.seen = OrderedDict()
        self.lock = threading.Lock()

    def status_for(self, headers, body):
        """What the hub is answered. It sends again what is not answered with 2xx."""
        try:
            self.verify(headers, body)
            event = parse(body)
            with self.lock:  # one at a time: the hub sends different tasks at once
                self.take(headers, event)
            return 204
        except Refused as error:
            print(f"refused: {error}", file=sys.stderr, flush=True)
            return 401
        except Exception as error:  # noqa: BLE001 - whatever it is, the hub tries again
            print(f"failed: {error!r}", file=sys.stderr, flush=True)
            return 500

    def verify(self, headers, body):
        written = single(headers, "webhook-timestamp")
        if not re.fullmatch(r"[0-9]{1,12}", written):
            raise Refused("webhook-timestamp is no number of seconds")
        if abs(time.time() - int(written)) > TOLERANCE_SECONDS:
            raise Refused("webhook-timestamp is too far from now")
        if self.secrets:
            # The bytes as they came, before anybody parses them.
            content = f"{single(headers, 'webhook-id')}.{written}.".encode() + body
            wanted = [b64(hmac.new(key, content, hashlib.sha256).digest()) for key in self.secrets]
            given = [each[3:] for each in single(headers, "webhook-signature").split(" ") if each.startswith("v1,")]
            if not any(same(one, each) for each in given for one in wanted):
                raise Refused("no v1 signature fits")
        if self.bearers:
            scheme, _, given = single(headers, "authorization").partition(" ")
            if scheme.lower() != "bearer" or not any([same(given.strip(), each) for each in self.bearers]):
                raise Refused("the bearer token is another one")
        if self.tokens:
            given = single(headers, "a2a-notification-token")
            if not any([same(given, each) for each in self.tokens]):
                raise Refused("the notification token is another one")

    def take(self, headers, event):
        """Uses what is new or late, and remembers it afterwards: what fails comes again."""
        what, update = told_by(event)
        task_id = update.get("id") if what == "task" else update.get("taskId")
        if not isinstance(task_id, str) or not task_id:
            raise Refused("the body tells of no task")
        mark = mark_of(update)
        line = {
            "taskId": task_id,
            "sequence": number(headers, "a2a-hub-sequence"),
            "deliveryNumber": number(headers, "a2a-hub-delivery-number"),
            "attempt": number(headers, "a2a-hub-attempt"),
            "what": what,
            "state": (update.get("status") or {}).get("state"),
        }
        if headers.get("a2a-hub-test") == "true" and mark.get("test") is True:
            return show({"kind": "test", "isMissing": False, **line})

        lane = f"{headers.get('a2a-hub-subscription', '')}/{task_id}"
        seen = self.seen.get(lane, {"sequence": 0, "number": 0, "ids": []})
        webhook_id = single(headers, "webhook-id")
        is_known = webhook_id in seen["ids"]
        is_late = line["sequence"] < seen["sequence"]
        is_jump = seen["number"] > 0 and line["deliveryNumber"] > seen["number"] + 1
        kind = "duplicate" if is_known else "late" if is_late else "new"
        is_missing = not is_known and ("a2a-hub-gap" in headers or (is_jump and not is_late))
        if not is_known:
            use(event, kind, needs_task=is_missing or mark.get("thin") is True)
        self.seen[lane] = {
            "sequence": max(line["sequence"], seen["sequence"]),
            "number": max(line["deliveryNumber"], seen["number"]),
            "ids": seen["ids"] if is_known else (seen["ids"] + [webhook_id])[-REMEMBERED_IDS:],
        }
        self.seen.move_to_end(lane)
        if len(self.seen) > REMEMBERED_LANES:
            self.seen.popitem(last=False)
        show({"kind": kind, "isMissing": is_missing, **line})


def use(event, kind, needs_task):
    """Your own work: put it into a queue or a database, which is quick, and do the rest later.

    With `needs_task` something was left out or never came: call GetTask of the hub.
    """


def parse(body):
    try:
        event = json.loads(body.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise Refused("the body is not JSON") from None
    if not isinstance(event, dict):
        raise Refused("the body tells of no task")
    return event


def told_by(event):
    """1.0 wraps what happened in a StreamResponse; 0.x sends the task itself."""
    for what in ("task", "statusUpdate", "artifactUpdate", "message"):
        if isinstance(event.get(what), dict):
            return what, event[what]
    return "task", event


def mark_of(update):
    """What the hub says of the body: that it is shortened (`thin`), or a test."""
    metadata = update.get("metadata")
    mark = metadata.get(MARK) if isinstance(metadata, dict) else None
    return mark if isinstance(mark, dict) else {}  # an agent may write anything there


def single(headers, name):
    values = headers.get_all(name, [])
    if len(values) != 1 or not values[0]:
        raise Refused(f"{name} is missing, or there more than once")
    return values[0]


def number(headers, name):
    value = headers.get(name, "")
    return int(value) if re.fullmatch(r"[0-9]{1,15}", value) else 0


def same(given, wanted):
    """Takes the same time whatever the texts have in common."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode("utf-8", "replace"))


def b64(data):
    return base64.b64encode(data).decode("ascii")


def show(line):
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
