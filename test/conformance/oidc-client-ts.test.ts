// The external library oidc-client-ts in a real browser: a public client without a server.

import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { type Client, issuer, newClient } from "../world/client.ts";

const browser = openWindows();
let script: string;
beforeAll(async () => {
  const entrypoint = join(import.meta.dir, "browser-app/app.ts");
  const built = await Bun.build({ entrypoints: [entrypoint], target: "browser" });
  script = await built.outputs[0]!.text();
});

/** @param hostname localhost has Gatehouse's own site; 127.0.0.1 has a different one */
async function startApplication(hostname: string) {
  let client: Client | undefined;
  const html = `<!doctype html><title>Application</title><link rel="icon" href="data:,"><body><script type="module" src="/app.js"></script>`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url);
      if (pathname === "/settings.json") return Response.json({ authority: issuer(), client_id: client!.id });
      if (pathname === "/app.js") return new Response(script, { headers: { "content-type": "text/javascript" } });
      return new Response(html, { headers: { "content-type": "text/html" } });
    },
  });
  const origin = `http://${hostname}:${server.port}`;
  client = await newClient({
    client_type: "native",
    redirect_uris: [`http://${hostname}/callback`, `http://${hostname}/silent`],
    post_logout_redirect_uris: [`${origin}/bye`],
  });
  return { client, origin, [Symbol.dispose]: () => void server.stop(true) };
}

/** The page's text after the next step. */
async function textOf(page: Page, count = 1): Promise<string> {
  const output = page.locator(`output[data-count="${count}"]`);
  await output.waitFor({ state: "attached" });
  return (await output.textContent())!;
}

async function signIn(page: Page, { tenant }: Client) {
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("User name").fill(tenant.admin.username);
  await page.getByLabel("Password").fill(tenant.admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Allow" }).click();
  return JSON.parse(await textOf(page));
}

test.concurrent("signs in by redirect, refreshes, renews silently, signs out", async () => {
  using app = await startApplication("localhost");
  const page = await browser.newPage();
  await page.goto(app.origin);
  expect(await textOf(page)).toBe("Nobody is signed in");

  const first = await signIn(page, app.client);
  expect(first).toMatchObject({ scope: "openid profile", expired: false });
  // From the id_token and from userinfo.
  expect(first.profile).toMatchObject({ aud: app.client.id, preferred_username: "admin", name: "Administrator" });

  await page.getByRole("button", { name: "Refresh" }).click();
  const second = JSON.parse(await textOf(page, 2));
  expect(second.profile.sub).toBe(first.profile.sub);
  expect(second.refresh_token).not.toBe(first.refresh_token);

  await page.getByRole("button", { name: "Ask silently" }).click();
  const third = JSON.parse(await textOf(page, 3));
  expect(third.profile.sub).toBe(first.profile.sub);
  expect(third.profile.auth_time).toBe(first.profile.auth_time);

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/\/bye/);
  expect(await textOf(page)).toBe("Nobody is signed in");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test.concurrent("from another site all requests work, without cookies", async () => {
  using app = await startApplication("127.0.0.1");
  const page = await browser.newPage();
  await page.goto(app.origin);
  const { profile } = await signIn(page, app.client);

  await page.getByRole("button", { name: "Ask silently" }).click();
  expect(await textOf(page, 2)).toContain("The user must sign in");
  await page.getByRole("button", { name: "Refresh" }).click();
  const refreshed = JSON.parse(await textOf(page, 3));
  expect(refreshed.profile.sub).toBe(profile.sub);

  await page.getByRole("button", { name: "Revoke" }).click();
  expect(JSON.parse(await textOf(page, 4)).refresh_token).toBeNull();
  const answer = await app.client.refresh(refreshed.refresh_token, { client_secret: undefined });
  expect([answer.status, answer.body.error]).toEqual([400, "invalid_grant"]);
});
