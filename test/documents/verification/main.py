# As main.mjs.

import base64
import sys
import time
from email.message import Message
from verify import is_from_gatehouse


def forms_of(pairs):
    message = Message()  # as in http.server
    lists = {}
    for name, value in pairs:
        message[name] = value
        lists.setdefault(name, []).append(value)
    return [message, lists, {name: ", ".join(values) for name, values in lists.items()}, {**lists, "x-none": None}]


def answer(secret, headers, body):
    try:
        return str(is_from_gatehouse(secret, headers, body)).lower()
    except Exception as error:
        return repr(error)


for line in sys.stdin:
    secret, body, *rest = (base64.b64decode(text) for text in line.rstrip("\n").split("\t"))
    rest = [text.decode() for text in rest]
    pairs = list(zip(rest[::2], rest[1::2]))
    print(",".join({answer(secret.decode(), headers, body) for headers in forms_of(pairs)}))

now = {"webhook-timestamp": str(int(time.time()))}
for odd in (None, 1, "text", [], {}, {"a": 1}, {"webhook-timestamp": 1}, {None: None}):
    for call in (("s", odd, b""), ("s", now, odd), (odd, now, b"")):
        if answer(*call) != "false":
            sys.exit(f"{call}: {answer(*call)}")
