// npm install next react react-dom openid-client; save as app/[[...path]]/route.js
// npx next dev --port 3001; then open http://localhost:3001/login
import { cookies } from "next/headers";
import * as client from "openid-client";

const redirectUri = new URL("http://localhost:3001/callback");
// Kept in memory, by the cookie: use a database in production. Next.js loads this file again when it changes.
globalThis.signIns ??= new Map();
globalThis.sessions ??= new Map();
const { signIns, sessions } = globalThis;
const cookie = { httpOnly: true, sameSite: "lax", secure: redirectUri.protocol === "https:", path: "/" };

let discovered;
const discovery = () =>
  (discovered ??= client.discovery(new URL("http://localhost:3000"), "1001", process.env.CLIENT_SECRET, undefined, {
    execute: [client.allowInsecureRequests], // only for http on this machine
  }));

export function GET(request) {
  const { pathname, search } = request.nextUrl;
  if (pathname === "/login") return signIn();
  if (pathname === redirectUri.pathname) return comeBack(new URL(search, redirectUri));
  return pathname === "/" ? home() : new Response("Not found", { status: 404 });
}

export function POST(request) {
  return request.nextUrl.pathname === "/logout" ? signOut() : new Response("Not found", { status: 404 });
}

async function signIn() {
  const [id, state, verifier] = [client.randomState(), client.randomState(), client.randomPKCECodeVerifier()];
  // Only the browser that started the sign-in can complete it.
  signIns.set(id, { state, verifier });
  (await cookies()).set("next-sign-in", id, { ...cookie, maxAge: 600 });
  const address = client.buildAuthorizationUrl(await discovery(), {
    redirect_uri: redirectUri.href,
    scope: "openid profile",
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return redirect(address.href);
}

async function comeBack(answer) {
  const jar = await cookies();
  const id = jar.get("next-sign-in")?.value;
  const { state, verifier } = signIns.get(id) ?? {};
  // Back, a second tab or a bookmark: begin again.
  if (!state || answer.searchParams.get("state") !== state) return redirect("/login");
  signIns.delete(id);
  let tokens;
  try {
    const checks = { expectedState: state, pkceCodeVerifier: verifier };
    tokens = await client.authorizationCodeGrant(await discovery(), answer, checks);
  } catch (error) {
    console.error(error);
    return html('Not signed in. <a href="/login">Try again</a>', 400);
  }
  const session = client.randomState();
  keep(session, tokens);
  jar.set("next-session", session, cookie);
  // Away from the callback: if it were loaded again, the code would be sent twice.
  return redirect("/");
}

async function home() {
  const id = (await cookies()).get("next-session")?.value;
  if (!sessions.has(id)) return html('<a href="/login">Sign in</a>');
  try {
    const user = await client.fetchUserInfo(await discovery(), await accessTokenOf(id), sessions.get(id).sub);
    const text = JSON.stringify(user).replaceAll("<", "\\u003c");
    return html(`<p>${text}</p><form method="post" action="/logout"><button>Sign out</button></form>`);
  } catch (error) {
    if (error.error !== "invalid_grant") throw error;
    // The refresh token is revoked or expired.
    sessions.delete(id);
    return redirect("/login");
  }
}

async function signOut() {
  const jar = await cookies();
  const id = jar.get("next-session")?.value;
  const { tokens } = sessions.get(id) ?? {};
  sessions.delete(id);
  jar.delete("next-session");
  if (!tokens) return redirect("/", 303);
  const config = await discovery();
  if (tokens.refresh_token) await client.tokenRevocation(config, tokens.refresh_token);
  const back = { id_token_hint: tokens.id_token, post_logout_redirect_uri: "http://localhost:3001/" };
  return redirect(client.buildEndSessionUrl(config, back).href, 303);
}

function keep(id, tokens) {
  const { sub, tokens: former } = sessions.get(id) ?? { sub: tokens.claims().sub };
  sessions.set(id, { sub, tokens: { ...former, ...tokens }, expiresOn: Date.now() + 1000 * tokens.expires_in });
}

/** A refresh returns the next refresh token: it is kept before anything else is done. */
async function accessTokenOf(id) {
  const { tokens, expiresOn } = sessions.get(id);
  if (tokens.refresh_token && Date.now() > expiresOn - 60_000) {
    keep(id, await client.refreshTokenGrant(await discovery(), tokens.refresh_token));
  }
  return sessions.get(id).tokens.access_token;
}

const redirect = (location, status = 302) => new Response(null, { status, headers: { location } });
const html = (text, status = 200) => new Response(text, { status, headers: { "content-type": "text/html" } });
