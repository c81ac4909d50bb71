# Creates the namespace and the search attributes for Gatehouse. It may run again.

export TEMPORAL_NAMESPACE="${TEMPORAL_NAMESPACE:-default}"
until temporal operator cluster health; do sleep 1; done
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 7d
# A new namespace takes some seconds.
until temporal operator search-attribute create --name TenantId --type Keyword --name EventRecord --type Keyword \
  --name EventType --type Keyword --name ConnectionId --type KeywordList --name DeliveryState --type Keyword; do sleep 1; done
