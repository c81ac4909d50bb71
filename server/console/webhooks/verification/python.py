import base64
import hashlib
import hmac
import re
import time


def is_from_gatehouse(secret: str, headers, body: bytes) -> bool:
    """headers: a mapping of names to values, as of your framework. body: the bytes as received."""

    def header(name: str) -> str:
        values = [value for key, value in headers.items() if str(key).lower() == name]
        return " ".join(" ".join(value) if isinstance(value, (list, tuple)) else value or "" for value in values)

    try:
        timestamp = header("webhook-timestamp")
        if not re.fullmatch("[0-9]{10}", timestamp) or abs(time.time() - int(timestamp)) > 300:
            return False
        key = base64.b64decode(secret[6:], validate=True) if secret.startswith("whsec_") else secret.encode()
        signed = f"{header('webhook-id')}.{timestamp}.".encode() + body
        expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
        signatures = re.split(",? +", header("webhook-signature"))
        return key != b"" and any(hmac.compare_digest(given.encode(), expected) for given in signatures)
    except (AttributeError, TypeError, ValueError):  # no text or no bytes, or a secret that is not base64
        return False
