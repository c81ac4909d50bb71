# Paste this into a terminal (bash or zsh), sign in, and paste the address to which you are redirected.
ISSUER='http://localhost:3000' CLIENT_ID='1001' REDIRECT_URI='http://localhost:3001/callback'
random() { openssl rand -hex 32; }
STATE=$(random) VERIFIER=$(random)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d =)

curl -s -o /dev/null -w 'Open this:\n%{url_effective}\n' -G "$ISSUER/oauth2/authorize" -d response_type=code \
  -d "client_id=$CLIENT_ID" --data-urlencode "redirect_uri=$REDIRECT_URI" --data-urlencode 'scope=openid profile' \
  -d "state=$STATE" -d "code_challenge=$CHALLENGE" -d code_challenge_method=S256
read -r ANSWER
parameter() { printf %s "${ANSWER#*\?}" | tr '&' '\n' | sed -n "s/^$1=//p"; }
[ "$(parameter state)" = "$STATE" ] || echo 'This is the answer to another request.' >&2

curl -sS "$ISSUER/oauth2/token" ${CLIENT_SECRET:+-u "$CLIENT_ID:$CLIENT_SECRET"} -d "client_id=$CLIENT_ID" \
  -d grant_type=authorization_code -d "code=$(parameter code)" --data-urlencode "redirect_uri=$REDIRECT_URI" \
  -d "code_verifier=$VERIFIER"
