// A sign-in that ends while the user types: nothing is saved, and the input is kept.

import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { MAX_KEPT_FIELDS } from "../../server/console/held-form.tsx";
import { FORM_BODY_LIMIT } from "../../server/platform/http/body.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import type { Api } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { enterSettings } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

/** Ends all sessions of a user, as an administrator. */
async function endSessions(api: Api, username: string): Promise<void> {
  const { body } = await api.call<{ Items: { Id: number }[] }>("GET", `/User?Username=${username}`);
  const { status } = await api.call("DELETE", `/User/${body.Items[0]!.Id}/Sessions`);
  expect(status).toBe(200);
}

async function signIn(page: Page, { username, password }: { username: string; password: string }): Promise<void> {
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
}

describe("an unsaved form", () => {
  test("is kept until the user has signed in again, and is sent after confirmation", async () => {
    const api = await newTenant();
    await using visitor = await enterSettings(browser, api.tenant);
    const { page, open } = visitor;
    await open("/settings/roles/add");
    await page.getByLabel("Name").fill("Night shift");
    await page.getByLabel("Purpose").fill('"quoted" & <long>');
    await page.getByRole("checkbox", { name: "Webhooks:Read" }).check();
    await page.getByRole("checkbox", { name: "Webhooks:Update" }).check();
    await endSessions(api, api.tenant.admin.username);
    await page.getByRole("button", { name: "Add role" }).click();

    await page.getByRole("heading", { name: "Signed out", level: 1 }).waitFor();
    await page.getByText("nothing was saved").waitFor();
    await inspect(page, "held-form-signed-out");
    const [tab] = await Promise.all([page.waitForEvent("popup"), page.getByRole("link", { name: "Sign in" }).click()]);
    await signIn(tab, api.tenant.admin);
    await page.getByRole("button", { name: "Continue" }).click();

    await page.getByRole("heading", { name: "Send this form?", level: 1 }).waitFor();
    const shown = await page.locator("main dl").textContent();
    for (const text of ["Name", "Night shift", '"quoted" & <long>', "Scopes", "Webhooks:Read", "Webhooks:Update"]) {
      expect(shown).toContain(text);
    }
    expect(await page.getByText("It goes to").textContent()).toContain("/settings/roles/add");
    await inspect(page, "held-form-send");
    await page.getByRole("button", { name: "Send it" }).click();
    await page.getByRole("heading", { name: "Night shift", level: 1 }).waitFor();
    await page.getByText('"quoted" & <long>').waitFor();
    await page.getByText("Webhooks:Read, Webhooks:Update").waitFor();
  });

  test("is not sent or kept for another site", async () => {
    const api = await newTenant();
    await using visitor = await enterSettings(browser, api.tenant);
    const { page } = visitor;
    const cookies = await page.context().cookies();
    const post = async (headers: Record<string, string>) => {
      const body = new URLSearchParams({ Name: "Intruders" });
      return fetch(`${issuer()}/settings/roles/add`, { method: "POST", body, headers, redirect: "manual" });
    };
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    for (const site of ["cross-site", "same-site", "none"]) {
      const signedIn = await post({ cookie, "sec-fetch-site": site });
      expect({ site, status: signedIn.status }).toEqual({ site, status: 403 });
      expect(await signedIn.text()).not.toContain("Intruders");
      const signedOut = await post({ "sec-fetch-site": site });
      expect({ site, status: signedOut.status }).toEqual({ site, status: 303 });
    }
    // Older browsers name only the origin.
    for (const origin of ["https://evil.example", "http://localhost", `${issuer()}.evil.example`, "not an origin"]) {
      const signedIn = await post({ cookie, origin });
      expect({ origin, status: signedIn.status }).toEqual({ origin, status: 403 });
      const signedOut = await post({ origin });
      expect({ origin, status: signedOut.status }).toEqual({ origin, status: 303 });
    }
    for (const origin of ["null", issuer()]) {
      const answer = await post({ cookie, origin });
      expect({ origin, page: await answer.text() }).toEqual({ origin, page: expect.stringContaining("Send it") });
    }
  });
});

describe("a form of another session", () => {
  /** A browser with a session, and a post without the form's token, as by a browser that does not name the site. */
  async function newPost() {
    const api = await newTenant();
    const visitor = await enterSettings(browser, api.tenant);
    const cookies = await visitor.page.context().cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    const post = async (path: string, fields: URLSearchParams, headers: Record<string, string> = {}) => {
      const answer = await fetch(issuer() + path, { method: "POST", body: fields, headers, redirect: "manual" });
      const html = await answer.text();
      return { status: answer.status, heading: /<h1[^>]*>([^<]*)/.exec(html)?.[1], html };
    };
    return { visitor, cookie, post };
  }

  test("is shown with each name and value before it is sent; secrets are masked", async () => {
    const { visitor, cookie, post } = await newPost();
    await using _ = visitor;
    const fields = new URLSearchParams({ Name: "Planted", URL: "https://evil.example/", State: "Paused" });
    fields.append("Entities", "User");
    fields.append("Entities", "Department");
    fields.set("Secret", "whsec_planted");
    fields.set("shown", "the seal of a page");
    const page = await post("/settings/webhooks/add", fields, { cookie });
    expect(page).toMatchObject({ status: 409, heading: "Send this form?" });
    const facts = [...page.html.matchAll(/<dt>([^<]*)<\/dt><dd><bdi class="typed">([^<]*)<\/bdi>/g)];
    expect(facts.map(([, name, value]) => [name, value])).toEqual([
      ...[
        ["Name", "Planted"],
        ["URL", "https://evil.example/"],
        ["State", "Paused"],
      ],
      ...[
        ["Entities", "User"],
        ["Entities", "Department"],
      ],
    ]);
    expect(page.html).toContain("Secret again");
    expect(page.html).not.toContain("whsec_planted");
    expect(page.html).not.toContain("the seal of a page");
  });

  test("that is too long to be shown must be filled in again, also without a session", async () => {
    const { visitor, cookie, post } = await newPost();
    await using _ = visitor;
    const many = new URLSearchParams(Array.from({ length: MAX_KEPT_FIELDS + 1 }, (_, at) => [`f${at}`, "x"]));
    const long = new URLSearchParams({ Name: "x".repeat(FORM_BODY_LIMIT) });
    for (const fields of [many, long]) {
      const signedIn = await post("/settings/roles/add", fields, { cookie });
      expect(signedIn).toMatchObject({ status: 413, heading: "Fill in the form again" });
      const signedOut = await post("/settings/roles/add", fields);
      expect(signedOut).toMatchObject({ status: 413, heading: "Signed out" });
      for (const { html } of [signedIn, signedOut]) {
        expect(html).toContain(`${FORM_BODY_LIMIT / 1024} KiB or ${MAX_KEPT_FIELDS} fields`);
        expect(html).not.toMatch(/name="(f0|Name)"/);
        expect(html.length).toBeLessThan(32 * 1024);
      }
    }
  });

  test("with the most fields that are kept is kept", async () => {
    const { visitor, cookie, post } = await newPost();
    await using _ = visitor;
    const fields = new URLSearchParams(Array.from({ length: MAX_KEPT_FIELDS }, (_, at) => [`f${at}`, "x"]));
    expect((await post("/settings/roles/add", fields, { cookie })).heading).toBe("Send this form?");
    const signedOut = await post("/settings/roles/add", fields);
    expect(signedOut.status).toBe(401);
    expect(signedOut.html).toContain(`name="f${MAX_KEPT_FIELDS - 1}"`);
  });
});

test("a page from before the new sign-in can still sign out", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page } = visitor;
  await endSessions(api, api.tenant.admin.username);
  const tab = await page.context().newPage();
  await tab.goto(`${issuer()}/settings`);
  await signIn(tab, api.tenant.admin);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Signed out", level: 1 }).waitFor();
  await tab.reload();
  await tab.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
});
