package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func IsFromGatehouse(secret string, header http.Header, body []byte) bool {
	id, timestamp := valueOf(header, "webhook-id"), valueOf(header, "webhook-timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 64)
	if err != nil || len(timestamp) != 10 || time.Since(time.Unix(int64(seconds), 0)).Abs() > 5*time.Minute {
		return false
	}
	key := []byte(secret)
	if encoded, found := strings.CutPrefix(secret, "whsec_"); found {
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return false
		}
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Fields(valueOf(header, "webhook-signature")) {
		if len(key) > 0 && hmac.Equal([]byte(strings.TrimSuffix(given, ",")), []byte(expected)) {
			return true
		}
	}
	return false
}

// Header.Get needs names in its own spelling, and returns only the first value.
func valueOf(header http.Header, name string) string {
	var values []string
	for key, more := range header {
		if strings.EqualFold(key, name) {
			values = append(values, more...)
		}
	}
	return strings.Join(values, " ")
}
