# Whether it is good at this moment: not after it was revoked either (RFC 7662).
curl -sS 'http://localhost:3000/oauth2/introspect' -u "1001:$CLIENT_SECRET" --data-urlencode "token=$TOKEN"
