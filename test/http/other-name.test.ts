// A browser that opens Gatehouse on this machine by another name than PUBLIC_URL's, such as 127.0.0.1 for localhost.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { issuer, newClient } from "../world/client.ts";
import { shared } from "../world/tenant.ts";

const windows = openWindows();
const { port } = new URL(shared().url);

const PAGES = ["/account", "/account/password", "/oauth2/logout", "/device", "/settings/sign-in?next=%2Fsettings"];

function open(path: string, host: string, { method = "GET", mode = "navigate" } = {}): Promise<Response> {
  const headers = { host, "sec-fetch-mode": mode, accept: "text/html" };
  return fetch(shared().url + path, { method, headers, redirect: "manual" });
}

test.each([...PAGES, "/oauth2/authorize?client_id=1&state=%2F%2Fevil.example"])(
  "%s is opened at PUBLIC_URL first, and nowhere else",
  async (path) => {
    for (const host of [`127.0.0.1:${port}`, `[::1]:${port}`, `127.0.0.2:${port}`]) {
      const answer = await open(path, host);
      expect([answer.status, answer.headers.get("location")]).toEqual([302, issuer() + path]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    const hosts = [
      `evil.example:${port}`,
      "127.0.0.1:1",
      "127.0.0.1",
      `localhost:${port}`,
      `127.0.0.1.evil.example:${port}`,
    ];
    for (const host of hosts) {
      expect((await open(path, host)).headers.get("location") ?? "").not.toStartWith(issuer() + path);
    }
    // Not a page that a person opens.
    expect((await open(path, `127.0.0.1:${port}`, { mode: "cors" })).headers.get("location")).not.toBe(issuer() + path);
    const posted = await open(path, `127.0.0.1:${port}`, { method: "POST" });
    expect(posted.headers.get("location")).not.toBe(issuer() + path);
  },
);

test("a person who begins at 127.0.0.1 signs in at PUBLIC_URL, and is signed in there", async () => {
  const client = await newClient();
  const page = await windows.newPage();
  await page.goto(`http://127.0.0.1:${port}${client.authorize()}`);
  expect(new URL(page.url()).origin).toBe(issuer());
  await page.getByLabel("User name").fill(client.tenant.admin.username);
  await page.getByLabel("Password").fill(client.tenant.admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Allow" }).waitFor();
  await page.goto(`http://127.0.0.1:${port}/settings`);
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  expect(new URL(page.url()).origin).toBe(issuer());
});
