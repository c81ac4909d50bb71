# Creates the namespace and the search attributes for Gatehouse. It may run again.

export TEMPORAL_NAMESPACE="${TEMPORAL_NAMESPACE:-default}"
until temporal operator cluster health; do sleep 1; done
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 7d
# A new namespace takes some seconds. Waiting does not change the type of an existing attribute.
left=60
until problem=$(temporal operator search-attribute create --name TenantId --type Keyword --name EventRecord --type Keyword \
  --name EventType --type Keyword --name ConnectionId --type KeywordList --name DeliveryState --type Keyword 2>&1); do
  case $problem in *"different type"*) left=0 ;; esac
  if [ "$left" -eq 0 ]; then
    echo "$problem. Set TEMPORAL_NAMESPACE to a namespace that only Gatehouse uses." >&2
    exit 1
  fi
  left=$((left - 1))
  sleep 1
done
