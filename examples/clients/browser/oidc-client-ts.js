// npm install oidc-client-ts; it runs in the page of the redirect URI, also in React, Vue and others
import { UserManager } from "oidc-client-ts";

const manager = new UserManager({
  authority: "http://localhost:3000",
  client_id: "1001",
  redirect_uri: "http://localhost:3001/callback",
  post_logout_redirect_uri: "http://localhost:3001/",
  scope: "openid profile",
  loadUserInfo: true,
});

/** The session of this tab. Its access token is refreshed by itself before it expires. */
async function userOf() {
  if (!new URLSearchParams(location.search).has("state")) return manager.getUser();
  const user = await manager.signinRedirectCallback().catch((error) => {
    // Back, a second tab or a bookmark: begin again.
    if (!/No matching state/.test(error.message)) throw error;
  });
  // Away from the answer: if it were loaded again, the code would be sent twice.
  history.replaceState(null, "", location.pathname);
  return user;
}

async function signOut() {
  await manager.revokeTokens(["refresh_token"]);
  await manager.signoutRedirect();
}

const user = await userOf();
if (user && !user.expired) {
  const button = Object.assign(document.createElement("button"), { textContent: "Sign out", onclick: signOut });
  document.body.append(`Signed in: ${JSON.stringify(user.profile)}`, button);
} else {
  await manager.signinRedirect();
}
