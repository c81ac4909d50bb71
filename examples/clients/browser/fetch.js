// Runs in the page of the redirect URI. Use a library to verify an id_token.
const issuer = "http://localhost:3000";
const client_id = "1001";
const redirect_uri = "http://localhost:3001/callback";
const base64url = (bytes) => new Uint8Array(bytes).toBase64({ alphabet: "base64url", omitPadding: true });
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
const json = async (response) => (response.ok ? response.json() : Promise.reject(new Error(await response.text())));

const answer = new URLSearchParams(location.search);
if (answer.has("code")) {
  if (answer.get("state") !== sessionStorage.getItem("state")) throw new Error("This is the answer to another request.");
  history.replaceState(null, "", location.pathname);
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code: answer.get("code"),
    client_id,
    redirect_uri,
    code_verifier: sessionStorage.getItem("verifier"),
  });
  const { access_token } = await json(await fetch(`${issuer}/oauth2/token`, { method: "POST", body }));
  const headers = { authorization: `Bearer ${access_token}` };
  const user = await json(await fetch(`${issuer}/oauth2/userinfo`, { headers }));
  document.body.append(`Signed in: ${JSON.stringify(user)}`);
} else {
  const [state, verifier] = [random(), random()];
  sessionStorage.setItem("state", state);
  sessionStorage.setItem("verifier", verifier);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const request = { response_type: "code", client_id, redirect_uri, scope: "openid profile", state };
  const pkce = { code_challenge: base64url(digest), code_challenge_method: "S256" };
  location.href = `${issuer}/oauth2/authorize?${new URLSearchParams({ ...request, ...pkce })}`;
}
