// npm install openid-client; then open http://localhost:3001/login
import { createServer } from "node:http";
import * as client from "openid-client";

const issuer = new URL("http://localhost:3000");
const redirectUri = new URL("http://localhost:3001/callback");
const config = await client.discovery(issuer, "1001", process.env.CLIENT_SECRET, undefined, {
  execute: [client.allowInsecureRequests], // only for http on this machine
});

async function signIn(response) {
  const state = client.randomState();
  const verifier = client.randomPKCECodeVerifier();
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri.href,
    scope: "openid profile",
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  // Only the browser that started the sign-in can complete it.
  const cookie = `sign-in=${state}.${verifier}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax`;
  response.writeHead(302, { location: address.href, "set-cookie": cookie }).end();
}

async function comeBack(request, response, url) {
  const cookie = /(?:^|; )sign-in=([^;]*)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
  const [expectedState, pkceCodeVerifier] = cookie.split(".");
  const tokens = await client.authorizationCodeGrant(config, url, { expectedState, pkceCodeVerifier });
  const user = await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(user));
}

createServer(async (request, response) => {
  const url = new URL(request.url, redirectUri);
  try {
    if (url.pathname === "/login") await signIn(response);
    else if (url.pathname === redirectUri.pathname) await comeBack(request, response, url);
    else response.writeHead(404).end();
  } catch (error) {
    console.error(error);
    response.writeHead(400).end("Not signed in.");
  }
}).listen(redirectUri.port || 3001, "127.0.0.1");
