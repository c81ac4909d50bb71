// npm install oauth4webapi; it runs in the page of the redirect URI
import * as oauth from "oauth4webapi";

const redirectUri = "http://localhost:3001/callback";
const client = { client_id: "1001" };
const options = {
  [oauth.allowInsecureRequests]: true, // only for http on this machine
};
const issuer = new URL("http://localhost:3000");
const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));

if (new URLSearchParams(location.search).has("code")) {
  const [state, verifier] = ["state", "verifier"].map((name) => sessionStorage.getItem(name));
  const answer = oauth.validateAuthResponse(server, client, new URL(location.href), state);
  history.replaceState(null, "", location.pathname);
  const response = await oauth.authorizationCodeGrantRequest(
    ...[server, client, oauth.None(), answer, redirectUri, verifier, options],
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { requireIdToken: true });
  const { sub } = oauth.getValidatedIdTokenClaims(tokens);
  const asked = await oauth.userInfoRequest(server, client, tokens.access_token, options);
  const user = await oauth.processUserInfoResponse(server, client, sub, asked);
  document.body.append(`Signed in: ${JSON.stringify(user)}`);
} else {
  const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
  sessionStorage.setItem("state", state);
  sessionStorage.setItem("verifier", verifier);
  location.href = `${server.authorization_endpoint}?${new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: "openid profile",
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  })}`;
}
