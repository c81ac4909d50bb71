// go get github.com/coreos/go-oidc/v3
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

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
	token, err := verifier.Verify(ctx, os.Getenv("TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	var claims json.RawMessage
	if err := token.Claims(&claims); err != nil {
		log.Fatal(err)
	}
	os.Stdout.Write(claims)
}
