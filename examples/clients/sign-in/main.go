// go get github.com/coreos/go-oidc/v3 golang.org/x/oauth2; then open http://localhost:3001/login
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, "http://localhost:3000")
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID:     "1001",
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  "http://localhost:3001/callback",
		Scopes:       strings.Fields("openid profile"),
	}
	redirect, _ := url.Parse(config.RedirectURL)

	http.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
		// Only the browser that started the sign-in can complete it.
		http.SetCookie(w, &http.Cookie{Name: "sign-in", Value: state + "." + verifier, Path: "/", MaxAge: 600,
			HttpOnly: true, SameSite: http.SameSiteLaxMode})
		http.Redirect(w, r, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusFound)
	})
	http.HandleFunc("GET "+redirect.Path, func(w http.ResponseWriter, r *http.Request) {
		user, err := comeBack(r, provider, config)
		if err != nil {
			log.Print(err)
			http.Error(w, "Not signed in.", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(user)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(redirect.Port(), "3001"), nil))
}

func comeBack(r *http.Request, provider *oidc.Provider, config oauth2.Config) (map[string]any, error) {
	cookie, err := r.Cookie("sign-in")
	if err != nil {
		return nil, err
	}
	state, verifier, _ := strings.Cut(cookie.Value, ".")
	if r.FormValue("state") != state {
		return nil, errors.New("the answer is for another browser")
	}
	token, err := config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, err
	}
	idToken, _ := token.Extra("id_token").(string)
	verified, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(r.Context(), idToken)
	if err != nil {
		return nil, err
	}
	user := map[string]any{}
	err = verified.Claims(&user)
	return user, err
}
