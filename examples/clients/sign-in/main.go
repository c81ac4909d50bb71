// go get github.com/coreos/go-oidc/v3 golang.org/x/oauth2; then open http://localhost:3001/login
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

type person struct {
	token   *oauth2.Token
	idToken string
}

// Kept in memory, by the cookie: use a database in production.
var (
	people sync.Map
	page   = template.Must(template.New("").Parse(
		`<p>{{.}}</p><form method="post" action="/logout"><button>Sign out</button></form>`))
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
	var also struct {
		Revoke     string `json:"revocation_endpoint"`
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&also); err != nil {
		log.Fatal(err)
	}
	redirect, _ := url.Parse(config.RedirectURL)
	setCookie := func(w http.ResponseWriter, name, value string, seconds int) {
		http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: seconds,
			HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: redirect.Scheme == "https"})
	}

	http.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
		// Only the browser that started the sign-in can complete it.
		setCookie(w, "go-sign-in", state+"."+verifier, 600)
		http.Redirect(w, r, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusFound)
	})

	http.HandleFunc("GET "+redirect.Path, func(w http.ResponseWriter, r *http.Request) {
		state, verifier, _ := strings.Cut(cookieOf(r, "go-sign-in"), ".")
		if state == "" || r.FormValue("state") != state {
			// Back, a second tab or a bookmark: begin again.
			http.Redirect(w, r, "/login", http.StatusFound)
			return
		}
		idToken := ""
		token, err := config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(verifier))
		if err == nil {
			idToken, _ = token.Extra("id_token").(string)
			_, err = provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(r.Context(), idToken)
		}
		if err != nil {
			log.Print(err)
			http.Error(w, "Not signed in.", http.StatusBadRequest)
			return
		}
		id := oauth2.GenerateVerifier()
		people.Store(id, person{token, idToken})
		setCookie(w, "go-session", id, 0)
		setCookie(w, "go-sign-in", "", -1)
		// Away from the callback: if it were loaded again, the code would be sent twice.
		http.Redirect(w, r, "/", http.StatusFound)
	})

	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		user, err := userOf(r, provider, config)
		if err != nil {
			people.Delete(cookieOf(r, "go-session"))
			fmt.Fprint(w, `<a href="/login">Sign in</a>`)
			return
		}
		page.Execute(w, user)
	})

	http.HandleFunc("POST /logout", func(w http.ResponseWriter, r *http.Request) {
		found, ok := people.LoadAndDelete(cookieOf(r, "go-session"))
		setCookie(w, "go-session", "", -1)
		if !ok {
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		one := found.(person)
		revoke(also.Revoke, config, one.token.RefreshToken)
		back := url.Values{"id_token_hint": {one.idToken}, "post_logout_redirect_uri": {"http://localhost:3001/"}}
		http.Redirect(w, r, also.EndSession+"?"+back.Encode(), http.StatusSeeOther)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(redirect.Port(), "3001"), nil))
}

func cookieOf(r *http.Request, name string) string {
	cookie, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// A refresh returns the next refresh token: it is kept before anything else is done.
func userOf(r *http.Request, provider *oidc.Provider, config oauth2.Config) (string, error) {
	id := cookieOf(r, "go-session")
	found, ok := people.Load(id)
	if !ok {
		return "", errors.New("not signed in")
	}
	one := found.(person)
	if one.token.RefreshToken != "" && time.Until(one.token.Expiry) < time.Minute {
		last := &oauth2.Token{RefreshToken: one.token.RefreshToken}
		token, err := config.TokenSource(r.Context(), last).Token()
		if err != nil {
			return "", err
		}
		one.token = token
		people.Store(id, one)
	}
	info, err := provider.UserInfo(r.Context(), oauth2.StaticTokenSource(one.token))
	if err != nil {
		return "", err
	}
	user := map[string]any{}
	if err := info.Claims(&user); err != nil {
		return "", err
	}
	text, err := json.Marshal(user)
	return string(text), err
}

func revoke(address string, config oauth2.Config, token string) {
	form := url.Values{"token": {token}, "client_id": {config.ClientID}}
	if config.ClientSecret != "" {
		form.Set("client_secret", config.ClientSecret)
	}
	answer, err := http.PostForm(address, form)
	if err != nil {
		log.Print(err)
		return
	}
	answer.Body.Close()
}
