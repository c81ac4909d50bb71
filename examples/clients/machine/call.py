# pip install Authlib requests
import os

from authlib.integrations.requests_client import OAuth2Session

session = OAuth2Session("1001", os.environ["CLIENT_SECRET"], scope="AccessManager:Read")
session.fetch_token("http://localhost:3000/oauth2/token", grant_type="client_credentials")

response = session.get("http://localhost:3000/Endpoint/rest/api/v1/Application?Limit=1")
print(response.text)
