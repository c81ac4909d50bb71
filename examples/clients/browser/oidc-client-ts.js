// npm install oidc-client-ts; it runs in the page of the redirect URI
import { UserManager } from "oidc-client-ts";

const manager = new UserManager({
  authority: "http://localhost:3000",
  client_id: "1001",
  redirect_uri: "http://localhost:3001/callback",
  scope: "openid profile",
  loadUserInfo: true,
});

if (new URLSearchParams(location.search).has("code")) {
  const { profile } = await manager.signinRedirectCallback();
  history.replaceState(null, "", location.pathname);
  document.body.append(`Signed in: ${JSON.stringify(profile)}`);
} else {
  await manager.signinRedirect();
}
