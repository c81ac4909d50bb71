// `bun run sign-in`: a client application that signs in a user of the demo tenant with openid-client.

import { join } from "node:path";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";

const demo = await Bun.file(join(process.env.DATA_DIR || ".gatehouse", "demo.json")).json();
const { clientId, clientSecret, redirectUris } = demo.client;
const redirectUri = new URL(redirectUris[0]);

// `start` serves plain http on this machine; elsewhere, remove allowInsecureRequests.
const config = await discovery(new URL(demo.publicUrl), clientId, clientSecret, undefined, {
  execute: [allowInsecureRequests],
});
const pkceCodeVerifier = randomPKCECodeVerifier();
const expectedState = randomState();
const authorizationUrl = buildAuthorizationUrl(config, {
  redirect_uri: redirectUri.href,
  scope: "openid profile",
  state: expectedState,
  code_challenge: await calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: "S256",
});

const signedIn = Promise.withResolvers<void>();
const server = Bun.serve({
  hostname: "localhost",
  port: redirectUri.port,
  async fetch(request) {
    if (new URL(request.url).pathname !== redirectUri.pathname) return new Response(null, { status: 404 });
    try {
      const tokens = await authorizationCodeGrant(config, new URL(request.url), { pkceCodeVerifier, expectedState });
      const claims = tokens.claims()!;
      console.log(`Signed in: ${JSON.stringify(await fetchUserInfo(config, tokens.access_token, claims.sub))}`);
      return new Response("Signed in. You may close this page.\n");
    } catch (error) {
      console.error(`Not signed in: ${(error as Error).message}`);
      return new Response("Not signed in.\n", { status: 400 });
    } finally {
      signedIn.resolve();
    }
  },
});
console.log(`Open this in a browser and sign in:\n\n  ${authorizationUrl}\n`);
await signedIn.promise;
await server.stop();
