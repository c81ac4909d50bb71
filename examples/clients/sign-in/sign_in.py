# pip install Authlib Flask requests; then open http://localhost:3001/login
import os
import secrets
import time
from urllib.parse import urlencode, urlsplit

import requests
from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, redirect, session
from markupsafe import escape

CLIENT_ID = "1001"
CLIENT_SECRET = os.environ.get("CLIENT_SECRET")
REDIRECT_URI = "http://localhost:3001/callback"

app = Flask(__name__)
app.secret_key = os.urandom(32)
app.config.update(SESSION_COOKIE_NAME="flask-session", SESSION_COOKIE_SAMESITE="Lax")
app.config["SESSION_COOKIE_SECURE"] = REDIRECT_URI.startswith("https:")
gatehouse = OAuth(app).register(
    "gatehouse",
    client_id=CLIENT_ID,
    client_secret=CLIENT_SECRET,
    server_metadata_url="http://localhost:3000/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile", "code_challenge_method": "S256"},
)
TOKENS = {}  # by session: the cookie has only its id. Use a database in production


@app.get("/login")
def sign_in():
    return gatehouse.authorize_redirect(REDIRECT_URI)


@app.get(urlsplit(REDIRECT_URI).path)
def come_back():
    try:
        token = gatehouse.authorize_access_token()
    except OAuthError as error:
        if error.error == "mismatching_state":  # Back, a second tab or a bookmark: begin again
            return redirect("/login")
        return f'Not signed in: {escape(error.error)}. <a href="/login">Try again</a>', 400
    session.clear()
    session["id"] = secrets.token_urlsafe()
    TOKENS[session["id"]] = token
    # Away from the callback: if it were loaded again, the code would be sent twice.
    return redirect("/")


def current_token():
    """A refresh returns the next refresh token: it is kept before anything else is done."""
    token = TOKENS.get(session.get("id"))
    if token and token.get("refresh_token") and time.time() > token["expires_at"] - 60:
        fresh = gatehouse.fetch_access_token(grant_type="refresh_token", refresh_token=token["refresh_token"])
        token = TOKENS[session["id"]] = {**token, **fresh}
    return token


@app.get("/")
def home():
    try:
        token = current_token()
    except OAuthError:  # the refresh token is revoked or expired
        TOKENS.pop(session.pop("id"), None)
        return redirect("/login")
    if not token:
        return '<a href="/login">Sign in</a>'
    user = app.json.dumps(gatehouse.userinfo(token=token)).replace("<", "\\u003c")
    return f'<p>{user}</p><form method="post" action="/logout"><button>Sign out</button></form>'


@app.post("/logout")
def sign_out():
    token = TOKENS.pop(session.pop("id", None), None)
    if not token:
        return redirect("/", 303)
    metadata = gatehouse.load_server_metadata()
    if "refresh_token" in token:
        auth = (CLIENT_ID, CLIENT_SECRET) if CLIENT_SECRET else None
        form = {"token": token["refresh_token"], "client_id": CLIENT_ID}
        requests.post(metadata["revocation_endpoint"], form, auth=auth, timeout=10)
    back = {"id_token_hint": token["id_token"], "post_logout_redirect_uri": "http://localhost:3001/"}
    return redirect(f"{metadata['end_session_endpoint']}?{urlencode(back)}", 303)


app.run("127.0.0.1", urlsplit(REDIRECT_URI).port or 3001)
