# pip install "pyjwt[crypto]"
import json
import os

import jwt

ISSUER = "http://localhost:3000"
AUDIENCE = "https://api.example.com"
keys = jwt.PyJWKClient(f"{ISSUER}/.well-known/jwks.json")


def verify(token: str) -> dict:
    """Its claims; raises jwt.PyJWTError if it is not good."""
    if jwt.get_unverified_header(token).get("typ") != "at+jwt":
        raise jwt.InvalidTokenError("This is no access token.")
    key = keys.get_signing_key_from_jwt(token)
    return jwt.decode(token, key, algorithms=["RS256", "ES256", "EdDSA"], issuer=ISSUER, audience=AUDIENCE)


print(json.dumps(verify(os.environ["TOKEN"])))
