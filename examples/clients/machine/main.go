// go get golang.org/x/oauth2
package main

import (
	"context"
	"io"
	"log"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	config := clientcredentials.Config{
		ClientID:     "1001",
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     "http://localhost:3000/oauth2/token",
		Scopes:       []string{"AccessManager:Read"},
	}
	// The client requests a new token when the current one expires.
	response, err := config.Client(context.Background()).Get("http://localhost:3000/Endpoint/rest/api/v1/Application?Limit=1")
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(os.Stdout, response.Body)
}
