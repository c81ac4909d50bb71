// npm install express express-session openid-client; then open http://localhost:3001/login
import { randomBytes } from "node:crypto";
import express from "express";
import session from "express-session";
import * as client from "openid-client";

const redirectUri = new URL("http://localhost:3001/callback");
const config = await client.discovery(new URL("http://localhost:3000"), "1001", process.env.CLIENT_SECRET, undefined, {
  execute: [client.allowInsecureRequests], // only for http on this machine
});

const app = express();
// Kept in memory: set `store` in production. Behind a proxy, the cookie is secure by X-Forwarded-Proto.
const secret = randomBytes(32).toString("hex");
const cookie = { sameSite: "lax", secure: "auto" };
app.use(session({ name: "express-session", secret, cookie, proxy: true, resave: false, saveUninitialized: false }));

app.get("/login", async (request, response) => {
  const state = client.randomState();
  const verifier = client.randomPKCECodeVerifier();
  // Only the browser that started the sign-in can complete it.
  request.session.signIn = { state, verifier };
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri.href,
    scope: "openid profile",
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  response.redirect(address.href);
});

app.get(redirectUri.pathname, async (request, response) => {
  const { state, verifier } = request.session.signIn ?? {};
  // Back, a second tab or a bookmark: begin again.
  if (!state || request.query.state !== state) return response.redirect("/login");
  const answer = new URL(request.originalUrl, redirectUri);
  const tokens = await client.authorizationCodeGrant(config, answer, { expectedState: state, pkceCodeVerifier: verifier });
  await new Promise((done, fail) => request.session.regenerate((error) => (error ? fail(error) : done())));
  keep(request.session, tokens);
  // Away from the callback: if it were loaded again, the code would be sent twice.
  response.redirect("/");
});

app.get("/", async (request, response) => {
  if (!request.session.tokens) return response.send('<a href="/login">Sign in</a>');
  try {
    const user = await client.fetchUserInfo(config, await accessTokenOf(request.session), request.session.sub);
    const text = JSON.stringify(user).replaceAll("<", "\\u003c");
    response.send(`<p>${text}</p><form method="post" action="/logout"><button>Sign out</button></form>`);
  } catch (error) {
    if (error.error !== "invalid_grant") throw error;
    // The refresh token is revoked or expired.
    request.session.destroy(() => response.redirect("/login"));
  }
});

app.post("/logout", async (request, response) => {
  const { tokens } = request.session;
  await new Promise((done) => request.session.destroy(done));
  if (!tokens) return response.redirect(303, "/");
  if (tokens.refresh_token) await client.tokenRevocation(config, tokens.refresh_token);
  const back = { id_token_hint: tokens.id_token, post_logout_redirect_uri: "http://localhost:3001/" };
  response.redirect(303, client.buildEndSessionUrl(config, back).href);
});

function keep(session, tokens) {
  session.sub ??= tokens.claims().sub;
  session.tokens = { ...session.tokens, ...tokens, expiresOn: Date.now() + 1000 * tokens.expires_in };
}

/** A refresh returns the next refresh token: it is kept before anything else is done. */
async function accessTokenOf(session) {
  if (session.tokens.refresh_token && Date.now() > session.tokens.expiresOn - 60_000) {
    keep(session, await client.refreshTokenGrant(config, session.tokens.refresh_token));
    await new Promise((done, fail) => session.save((error) => (error ? fail(error) : done())));
  }
  return session.tokens.access_token;
}

app.use((error, _request, response, _next) => {
  console.error(error);
  response.status(400).send('Not signed in. <a href="/login">Try again</a>');
});
app.listen(redirectUri.port || 3001, "127.0.0.1");
