# Hooks of the fuzzer. Some requests that fit the document get records and tokens that exist, which fresh.ts makes. The
# tenant keeps its limits. The answers of each operation are counted.

import atexit
import json
import os
import urllib.request
from collections import Counter, defaultdict

import schemathesis

SERVER = os.environ["FRESH_URL"]
REPORT = os.environ["ANSWERS_FILE"]
AUTHORIZATION = os.environ["AUTHORIZATION"]
# Requests of each operation with existing records.
REAL = int(os.environ["FRESH_PER_OPERATION"])
LARGE = 1_000_000
SETTINGS = {"changeTenantSettings"}
# With other values, the people and clients of fresh.ts could not sign in or register.
NEEDED = {
    "SecondFactor": ({"Required"}, "Optional"),
    "ClientRegistration": ({"Off", "Open"}, "InitialAccessToken"),
}

real = Counter()
answers = defaultdict(Counter)


def operation_of(case):
    return case.operation.definition.raw["operationId"]


def keep_settings(body):
    """Replaces valid values only, so an invalid body stays invalid."""
    for name, value in body.items():
        if name.startswith("Max") and type(value) is int and value > 0:
            body[name] = LARGE
        valid, needed = NEEDED.get(name, (set(), None))
        if isinstance(value, str) and value in valid:
            body[name] = needed


def fresh(operation, path):
    body = json.dumps({"operation": operation, "path": path}).encode()
    request = urllib.request.Request(SERVER, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


@schemathesis.auth()
class Bearer:
    def get(self, case, context):
        return AUTHORIZATION

    def set(self, case, data, context):
        case.headers["Authorization"] = data


@schemathesis.hook
def before_call(ctx, case, kwargs):
    operation = operation_of(case)
    if operation in SETTINGS and isinstance(case.body, dict):
        keep_settings(case.body)
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or meta.phase.name == "stateful":
        return
    if case.method.lower() != case.operation.method.lower() or real[operation] >= REAL:
        return
    real[operation] += 1
    found = fresh(operation, case.operation.path)
    case.path_parameters = {**(case.path_parameters or {}), **found.get("path", {})}
    if "query" in found and case.operation.method.lower() == "get":
        case.query = found["query"]
    if "body" in found and case.operation.method.lower() != "get":
        case.body = found["body"]
    if "authorization" in found:
        case.headers["Authorization"] = found["authorization"]
    if found.get("path") or found.get("body") or found.get("query"):
        # Conditions of a generated version would not hold.
        for name in ("If-Match", "If-None-Match"):
            case.headers.pop(name, None)


@schemathesis.hook
def after_call(ctx, case, response):
    if case.method.lower() == case.operation.method.lower():
        answers[operation_of(case)][response.status_code] += 1


@schemathesis.hook
def filter_failure(ctx, failure, case, response):
    # A logout leaves out what it cannot read, and signs out (docs/sign-in.md).
    if case.operation.path == "/oauth2/logout" and type(failure).__name__ == "AcceptedNegativeData":
        return False
    # Bun itself rejects a request line of more than 16 KiB.
    return response.status_code != 431


@atexit.register
def write():
    with open(REPORT, "w") as file:
        json.dump(answers, file)
