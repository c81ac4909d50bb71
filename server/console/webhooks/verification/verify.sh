case $SECRET in
  whsec_*) KEY=$(printf %s "${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n') ;;
  *) KEY=$(printf %s "$SECRET" | od -An -v -tx1 | tr -d ' \n') ;;
esac
EXPECTED=v1,$( { printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)
case "${KEY:+ $WEBHOOK_SIGNATURE }" in
  *" $EXPECTED "*) echo "signature valid" ;;
  *) echo "signature WRONG"; exit 1 ;;
esac
