CLIENT=(-d client_id=1001 ${CLIENT_SECRET:+-d "client_secret=$CLIENT_SECRET"})
value() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

ASKED=$(curl -sS 'http://localhost:3000/oauth2/device_authorization' "${CLIENT[@]}" --data-urlencode 'scope=openid profile')
echo "Open $(value verification_uri <<<"$ASKED") and type $(value user_code <<<"$ASKED")"

while sleep 5; do
  ANSWER=$(curl -sS 'http://localhost:3000/oauth2/token' "${CLIENT[@]}" \
    -d grant_type=urn:ietf:params:oauth:grant-type:device_code -d "device_code=$(value device_code <<<"$ASKED")")
  [[ $ANSWER == *authorization_pending* ]] || break
done
echo "$ANSWER"
