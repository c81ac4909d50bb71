// npm install react react-dom oidc-client-ts; it runs in the page of the redirect URI
import { UserManager } from "oidc-client-ts";
import { createContext, use, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const manager = new UserManager({
  authority: "http://localhost:3000",
  client_id: "1001",
  redirect_uri: "http://localhost:3001/callback",
  post_logout_redirect_uri: "http://localhost:3001/",
  scope: "openid profile",
  loadUserInfo: true,
});

/** The session of this tab. Its access token is refreshed by itself before it expires. */
async function signedIn() {
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

// Once for the page: in StrictMode effects run twice, and a code is accepted once.
const first = signedIn();
const UserContext = createContext(null);

function SignedIn({ children }) {
  const [user, setUser] = useState(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    first
      .then((found) => (found && !found.expired ? setUser(found) : manager.signinRedirect()))
      .catch((error) => setProblem(error.message));
    const stop = manager.events.addUserLoaded(setUser);
    return () => stop();
  }, []);
  if (problem) return <p role="alert">Not signed in: {problem}</p>;
  return user && <UserContext value={user}>{children}</UserContext>;
}

function Home() {
  const user = use(UserContext);
  return (
    <>
      <p>Signed in: {JSON.stringify(user.profile)}</p>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </>
  );
}

const root = document.getElementById("root") ?? document.body.appendChild(document.createElement("div"));
createRoot(root).render(
  <SignedIn>
    <Home />
  </SignedIn>,
);
