# pip install Authlib Flask requests; then open http://localhost:3001/login
import os
from urllib.parse import urlsplit

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask

REDIRECT_URI = "http://localhost:3001/callback"

app = Flask(__name__)
app.secret_key = os.urandom(32)  # signs the session, which has the state and the verifier
gatehouse = OAuth(app).register(
    "gatehouse",
    client_id="1001",
    client_secret=os.environ.get("CLIENT_SECRET"),
    server_metadata_url="http://localhost:3000/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile", "code_challenge_method": "S256"},
)


@app.get("/login")
def sign_in():
    return gatehouse.authorize_redirect(REDIRECT_URI)


@app.get(urlsplit(REDIRECT_URI).path)
def come_back():
    try:
        token = gatehouse.authorize_access_token()
    except OAuthError as error:
        return f"Not signed in: {error.error}", 400
    return gatehouse.userinfo(token=token)


app.run("127.0.0.1", urlsplit(REDIRECT_URI).port or 3001)
