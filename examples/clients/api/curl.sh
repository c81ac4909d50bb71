# Introspection (RFC 7662): "active" is false after expiry and after revocation.
curl -sS 'http://localhost:3000/oauth2/introspect' -u "1001:$CLIENT_SECRET" --data-urlencode "token=$TOKEN"
