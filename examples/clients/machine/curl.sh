TOKEN=$(curl -sS 'http://localhost:3000/oauth2/token' -u "1001:$CLIENT_SECRET" -d grant_type=client_credentials \
  --data-urlencode 'scope=AccessManager:Read' | sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p')

curl -sS 'http://localhost:3000/Endpoint/rest/api/v1/Application?Limit=1' -H "Authorization: Bearer $TOKEN"
