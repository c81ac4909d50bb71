// npm install openid-client; it runs in the page of the redirect URI
import * as client from "openid-client";

const issuer = new URL("http://localhost:3000");
const redirectUri = "http://localhost:3001/callback";
const config = await client.discovery(issuer, "1001", undefined, client.None(), {
  execute: [client.allowInsecureRequests], // only for http on this machine
});

if (new URLSearchParams(location.search).has("code")) {
  const tokens = await client.authorizationCodeGrant(config, new URL(location.href), {
    expectedState: sessionStorage.getItem("state"),
    pkceCodeVerifier: sessionStorage.getItem("verifier"),
  });
  history.replaceState(null, "", location.pathname);
  const user = await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
  document.body.append(`Signed in: ${JSON.stringify(user)}`);
} else {
  const [state, verifier] = [client.randomState(), client.randomPKCECodeVerifier()];
  sessionStorage.setItem("state", state);
  sessionStorage.setItem("verifier", verifier);
  location.href = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "openid profile",
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
}
