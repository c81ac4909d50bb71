// go get github.com/coreos/go-oidc/v3
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"log"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

const (
	issuer   = "http://localhost:3000"
	audience = "https://api.example.com"
)

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		log.Fatal(err)
	}
	verifier := provider.Verifier(&oidc.Config{
		ClientID:             audience,
		SupportedSigningAlgs: []string{oidc.RS256, oidc.ES256, oidc.EdDSA},
	})
	raw := os.Getenv("TOKEN")
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		log.Fatal(err)
	}
	if typeOf(raw) != "at+jwt" {
		log.Fatal("This is no access token.")
	}
	var claims json.RawMessage
	if err := token.Claims(&claims); err != nil {
		log.Fatal(err)
	}
	os.Stdout.Write(claims)
}

// The library does not check the type.
func typeOf(token string) string {
	first, _, _ := strings.Cut(token, ".")
	text, _ := base64.RawURLEncoding.DecodeString(first)
	var header struct{ Typ string }
	_ = json.Unmarshal(text, &header)
	return header.Typ
}
