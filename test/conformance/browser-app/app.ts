// A browser-only application: oidc-client-ts does all of OpenID Connect, and the page shows the result.

import { type User, UserManager, WebStorageStateStore } from "oidc-client-ts";

const { authority, client_id } = (await (await fetch("/settings.json")).json()) as Record<string, string>;
const manager = new UserManager({
  authority: authority!,
  client_id: client_id!,
  redirect_uri: `${location.origin}/callback`,
  silent_redirect_uri: `${location.origin}/silent`,
  post_logout_redirect_uri: `${location.origin}/bye`,
  scope: "openid profile",
  loadUserInfo: true,
  automaticSilentRenew: false,
  userStore: new WebStorageStateStore({ store: sessionStorage }),
});

const PAGES: Record<string, () => Promise<string>> = {
  "/": async () => textOf(await manager.getUser()),
  "/callback": async () => textOf(await manager.signinRedirectCallback()),
  "/silent": async () => {
    await manager.signinSilentCallback();
    return "";
  },
  "/bye": async () => {
    await manager.signoutRedirectCallback();
    return textOf(await manager.getUser());
  },
};

const ACTIONS: Record<string, () => Promise<string>> = {
  "Sign in": async () => {
    await manager.signinRedirect();
    return "Going to sign in";
  },
  Refresh: async () => textOf(await manager.signinSilent()),
  "Ask silently": async () => textOf(await manager.signinSilent({ forceIframeAuth: true })),
  Revoke: async () => {
    await manager.revokeTokens(["refresh_token"]);
    return textOf(await manager.getUser());
  },
  "Sign out": async () => {
    await manager.signoutRedirect();
    return "Going to sign out";
  },
};

for (const [name, act] of Object.entries(ACTIONS)) {
  const button = document.createElement("button");
  button.textContent = name;
  button.onclick = () => show(act);
  document.body.append(button);
}
const output = document.createElement("output");
document.body.append(output);
await show(PAGES[location.pathname]!);

/** Each action increments the count, so results can be awaited. */
async function show(act: () => Promise<string>): Promise<void> {
  const text = await act().catch((error: Error) => `${error.name}: ${error.message}`);
  output.dataset.count = String(Number(output.dataset.count ?? 0) + 1);
  output.textContent = text;
}

function textOf(user: User | null): string {
  if (!user) return "Nobody is signed in";
  const { profile, scope, access_token, refresh_token, expired } = user;
  return JSON.stringify({ profile, scope, access_token, refresh_token, expired });
}
