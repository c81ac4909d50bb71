# pip install Authlib fastapi httpx itsdangerous uvicorn; then open http://localhost:3001/login
import json
import os
import secrets
import time
from html import escape
from urllib.parse import urlencode, urlsplit

import httpx
import uvicorn
from authlib.integrations.starlette_client import OAuth, OAuthError
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.middleware.sessions import SessionMiddleware

CLIENT_ID = "1001"
CLIENT_SECRET = os.environ.get("CLIENT_SECRET")
REDIRECT_URI = "http://localhost:3001/callback"

app = FastAPI()
app.add_middleware(
    SessionMiddleware,
    secret_key=secrets.token_urlsafe(),
    session_cookie="fastapi-session",
    same_site="lax",
    https_only=REDIRECT_URI.startswith("https:"),
)
gatehouse = OAuth().register(
    "gatehouse",
    client_id=CLIENT_ID,
    client_secret=CLIENT_SECRET,
    server_metadata_url="http://localhost:3000/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile", "code_challenge_method": "S256"},
)
TOKENS = {}  # by session: the cookie has only its id. Use a database in production


@app.get("/login")
async def sign_in(request: Request):
    return await gatehouse.authorize_redirect(request, REDIRECT_URI)


@app.get(urlsplit(REDIRECT_URI).path)
async def come_back(request: Request):
    try:
        token = await gatehouse.authorize_access_token(request)
    except OAuthError as error:
        if error.error == "mismatching_state":  # Back, a second tab or a bookmark: begin again
            return RedirectResponse("/login", 302)
        return HTMLResponse(f'Not signed in: {escape(error.error)}. <a href="/login">Try again</a>', 400)
    request.session.clear()
    request.session["id"] = secrets.token_urlsafe()
    TOKENS[request.session["id"]] = token
    # Away from the callback: if it were loaded again, the code would be sent twice.
    return RedirectResponse("/", 302)


async def current_token(session):
    """A refresh returns the next refresh token: it is kept before anything else is done."""
    token = TOKENS.get(session.get("id"))
    if token and token.get("refresh_token") and time.time() > token["expires_at"] - 60:
        fresh = await gatehouse.fetch_access_token(grant_type="refresh_token", refresh_token=token["refresh_token"])
        token = TOKENS[session["id"]] = {**token, **fresh}
    return token


@app.get("/")
async def home(request: Request):
    try:
        token = await current_token(request.session)
    except OAuthError:  # the refresh token is revoked or expired
        TOKENS.pop(request.session.pop("id"), None)
        return RedirectResponse("/login", 302)
    if not token:
        return HTMLResponse('<a href="/login">Sign in</a>')
    user = json.dumps(await gatehouse.userinfo(token=token)).replace("<", "\\u003c")
    return HTMLResponse(f'<p>{user}</p><form method="post" action="/logout"><button>Sign out</button></form>')


@app.post("/logout")
async def sign_out(request: Request):
    token = TOKENS.pop(request.session.pop("id", None), None)
    if not token:
        return RedirectResponse("/", 303)
    metadata = await gatehouse.load_server_metadata()
    if "refresh_token" in token:
        auth = (CLIENT_ID, CLIENT_SECRET) if CLIENT_SECRET else None
        form = {"token": token["refresh_token"], "client_id": CLIENT_ID}
        async with httpx.AsyncClient() as http:
            await http.post(metadata["revocation_endpoint"], data=form, auth=auth)
    back = {"id_token_hint": token["id_token"], "post_logout_redirect_uri": "http://localhost:3001/"}
    return RedirectResponse(f"{metadata['end_session_endpoint']}?{urlencode(back)}", 303)


uvicorn.run(app, host="127.0.0.1", port=urlsplit(REDIRECT_URI).port or 3001)
