"""Judges registrations and assertions with py_webauthn. Reads cases as JSON, and prints what it makes of each."""

import json
import sys

from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url

judged = []
for case in json.load(sys.stdin):
    expected = {
        "credential": case["credential"],
        "expected_challenge": base64url_to_bytes(case["challenge"]),
        "expected_rp_id": case["rpId"],
        "expected_origin": case["origin"],
        "require_user_verification": True,
    }
    try:
        if "publicKey" in case:
            key = base64url_to_bytes(case["publicKey"])
            known = {"credential_public_key": key, "credential_current_sign_count": 0}
            made = verify_authentication_response(**expected, **known)
            judged.append({"count": made.new_sign_count, "isSynced": made.credential_backed_up})
        else:
            made = verify_registration_response(**expected)
            judged.append(
                {
                    "publicKey": bytes_to_base64url(made.credential_public_key),
                    "count": made.sign_count,
                    "aaguid": made.aaguid,
                    "isSynced": made.credential_backed_up,
                }
            )
    except Exception as error:
        judged.append({"refused": type(error).__name__})
print(json.dumps(judged))
