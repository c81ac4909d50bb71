// npm install vue oidc-client-ts; it runs in the page of the redirect URI
import { UserManager } from "oidc-client-ts";
import { createApp, h, ref } from "vue";

const manager = new UserManager({
  authority: "http://localhost:3000",
  client_id: "1001",
  redirect_uri: "http://localhost:3001/callback",
  post_logout_redirect_uri: "http://localhost:3001/",
  scope: "openid profile",
  loadUserInfo: true,
});
/** Its access token is refreshed by itself before it expires. */
const user = ref(null);
manager.events.addUserLoaded((loaded) => (user.value = loaded));

/** The session of this tab. */
async function signIn() {
  let found;
  if (new URLSearchParams(location.search).has("state")) {
    found = await manager.signinRedirectCallback().catch((error) => {
      // Back, a second tab or a bookmark: begin again.
      if (!/No matching state/.test(error.message)) throw error;
    });
    // Away from the answer: if it were loaded again, the code would be sent twice.
    history.replaceState(null, "", location.pathname);
  } else {
    found = await manager.getUser();
  }
  if (!found || found.expired) return manager.signinRedirect();
  user.value = found;
}

async function signOut() {
  await manager.revokeTokens(["refresh_token"]);
  await manager.signoutRedirect();
}

await signIn();
const App = () =>
  user.value && [h("p", `Signed in: ${JSON.stringify(user.value.profile)}`), h("button", { onClick: signOut }, "Sign out")];
const root = document.getElementById("app") ?? document.body.appendChild(document.createElement("div"));
createApp(App).mount(root);
