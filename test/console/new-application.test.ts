// "New application" in Settings: makes a client with the settings of its kind.

import { expect, test } from "bun:test";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { openWindows } from "../support/browser.ts";
import { newApi } from "../world/apis.ts";
import { issuer } from "../world/client.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { askToken, formOf } from "../world/grants.ts";
import { HOSTILE } from "../world/hostile.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const browser = openWindows();

/** A visitor in Settings without scripts. */
async function comeIn() {
  const api = await newTenant();
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${api.tenant.tenantId}`), api.tenant.admin);
  const make = async (kind: string, fields: Record<string, string>) => {
    const view = await visitor.open(`/settings/new-application/${kind}`);
    const form = view.forms.find(({ action }) => action.endsWith(`/new-application/${kind}`))!;
    return visitor.post(form.action, { csrf: form.fields.csrf!, ...fields });
  };
  const credentialsOf = async (name: string) => {
    const { body } = await api.call<{ Items: { Id: string }[] }>("GET", `/Application?Name=${name}`);
    const [application] = body.Items;
    if (!application) return undefined;
    const credentials = await api.call<Record<string, unknown>>("GET", `/Application/${application.Id}/Credentials`);
    const secrets = await api.call<{ Items: unknown[] }>("GET", `/Application/${application.Id}/Secrets`);
    return { id: application.Id, secrets: secrets.body.Items.length, ...credentials.body };
  };
  return { api, make, credentialsOf, open: (path: string) => visitor.open(path) };
}

const secretOf = (html: string) => /class="secret">.*?<code>([\w-]{43})<\/code>/s.exec(html)![1]!;

test.concurrent("each kind gets the client type, grants and secret that it needs", async () => {
  const { make, credentialsOf } = await comeIn();
  const GRANTS = ["authorization_code", "refresh_token"];
  const signIn = { RedirectUris: "https://app.example.com/back", Scopes: "openid" };
  for (const [kind, fields, sets, secrets] of [
    ["web", signIn, { ClientType: "confidential", GrantTypes: GRANTS, IdTokenClaims: true }, 1],
    ["spa", signIn, { ClientType: "public", GrantTypes: GRANTS, IdTokenClaims: false }, 0],
    ["native", signIn, { ClientType: "native", GrantTypes: GRANTS, IdTokenClaims: true }, 0],
    [
      "device",
      { Scopes: "openid" },
      { ClientType: "native", GrantTypes: [DEVICE_GRANT, "refresh_token"], RedirectUris: [] },
      0,
    ],
    [
      "machine",
      { Scopes: "AccessManager:Read" },
      { ClientType: "confidential", GrantTypes: ["client_credentials"] },
      1,
    ],
    ["api", {}, { ClientType: "confidential", GrantTypes: [], Scopes: [], RedirectUris: [] }, 1],
  ] as const) {
    const view = await make(kind, { Name: `Payroll-${kind}`, ...fields });
    expect({ kind, status: view.status, heading: view.heading }).toEqual({
      kind,
      status: 200,
      heading: secrets ? "Secret" : `Payroll-${kind}`,
    });
    expect(await credentialsOf(`Payroll-${kind}`)).toMatchObject({ ...sets, secrets });
  }
});

test.concurrent("a machine's secret gets a token at once, which an API's checks accept", async () => {
  const { make, credentialsOf, api } = await comeIn();
  const machine = secretOf((await make("machine", { Name: "Script", Scopes: "AccessManager:Read" })).html);
  const service = secretOf((await make("api", { Name: "Service" })).html);
  const { id: clientId } = (await credentialsOf("Script"))!;
  const { status, body } = await askToken(formOf({ clientId, clientSecret: machine }, { scope: "*" }));
  expect(status).toBe(200);
  const { id } = (await credentialsOf("Service"))!;
  const asked = await fetch(`${issuer()}/oauth2/introspect`, {
    method: "POST",
    body: new URLSearchParams({ client_id: id, client_secret: service, token: body.access_token }),
  });
  expect(await asked.json()).toMatchObject({ active: true, client_id: clientId, scope: "AccessManager:Read" });
  expect((await askToken(formOf({ clientId: id, clientSecret: service }))).status).toBe(403);
  const { body: log } = await api.call<{ Items: { Kind: string; Subject: { Id: string } }[] }>("GET", "/AuditEvent");
  const kinds = log.Items.filter(({ Subject }) => Subject?.Id === clientId).map(({ Kind }) => Kind);
  expect(kinds.toSorted()).toEqual(["Credentials.Changed", "Record.Created", "Secret.Created"]);
});

test.concurrent("its form offers APIs' scopes and keeps the choice when rejected", async () => {
  const { make, credentialsOf, open, api } = await comeIn();
  await newApi(api, "Orders", ["orders:read", "orders:write"]);
  const { html } = await open("/settings/new-application/machine");
  expect(html).toContain('value="orders:read"');
  expect(html).toContain("Do orders:read for you");
  const refused = await make("machine", { Name: "", Scopes: "orders:read" });
  expect(refused.status).toBe(422);
  expect(refused.html).toMatch(/value="orders:read" checked/);
  expect(refused.html).not.toMatch(/value="orders:write" checked/);
  await make("machine", { Name: "Robot", Scopes: "orders:read" });
  expect(await credentialsOf("Robot")).toMatchObject({ Scopes: ["orders:read"] });
});

test.concurrent("a rejected form creates no application, and a taken name leaves its owner unchanged", async () => {
  const { make, credentialsOf } = await comeIn();
  const refused = await make("web", { Name: "Shop", RedirectUris: "http://shop.example.com/", Scopes: "openid" });
  expect(refused.status).toBe(422);
  expect(refused.html).toContain("must begin with https://");
  expect(await credentialsOf("Shop")).toBeUndefined();
  await make("web", { Name: "Shop", RedirectUris: "https://shop.example.com/", Scopes: "openid" });
  const before = await credentialsOf("Shop");
  const again = await make("spa", { Name: "Shop", RedirectUris: "https://evil.example.com/", Scopes: "openid" });
  expect(again.status).toBe(422);
  expect(again.html).toContain("already used by another Application");
  expect(await credentialsOf("Shop")).toEqual(before);
  expect((await make("toaster", { Name: "Toaster" }).catch(() => ({ status: 404 }))).status).toBe(404);
});

test.concurrent("an application's page Connect has the values of discovery", async () => {
  const { credentialsOf, make, open } = await comeIn();
  await make("native", { Name: "Phone", RedirectUris: "http://127.0.0.1/back", Scopes: "openid" });
  const { id } = (await credentialsOf("Phone"))!;
  const { status, html } = await open(`/settings/applications/${id}/connect`);
  expect(status).toBe(200);
  const found = await (await fetch(`${issuer()}/.well-known/openid-configuration`)).json();
  // This address is already registered.
  const told = Object.entries<string>(found).filter(([name]) =>
    /(?<!registration)_endpoint$|^issuer$|^jwks_uri$/.test(name),
  );
  expect(told.length).toBeGreaterThan(7);
  for (const [, address] of told) expect(html).toContain(`<code>${address}</code>`);
  expect(html).toContain(`<code>${id}</code>`);
});

test("scopes are grouped by prefix, and are selected by keyboard", async () => {
  const api = await newTenant();
  await newApi(api, "Orders", ["orders:read", "orders:lines.read", "orders:write", "billing"]);
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open("/settings/new-application/machine");
  const scopesOf = (group: string) =>
    page.getByRole("group", { name: group, exact: true }).getByRole("checkbox").evaluateAll(valuesOf);
  expect(await scopesOf("Webhooks")).toEqual(["Read", "Create", "Update", "Delete"].map((one) => `Webhooks:${one}`));
  expect(await scopesOf("Settings")).toEqual(["Settings:Read", "Settings:Update"]);
  expect(await scopesOf("orders")).toEqual(["orders:read", "orders:write"]);
  const all = await scopesOf("Scopes");
  expect(new Set(all).size).toBe(all.length);
  // Scopes with a unique prefix come first.
  expect(all.slice(0, all.indexOf("AccessManager:Read"))).toContain("orders:lines.read");

  await page.getByRole("checkbox").first().focus();
  for (const value of all) {
    expect(await page.locator(":focus").getAttribute("value")).toBe(value);
    if (value === "orders:write") await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
  }
  expect(await page.getByLabel("orders:write").isChecked()).toBe(true);
});

test("a script narrows scopes to those that contain a text; chosen ones stay", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant, { isStyled: true });
  const { page, open } = visitor;
  await open("/settings/new-application/spa");
  expect(await page.getByLabel("email").isVisible()).toBe(false);
  await page.getByText("Advanced", { exact: true }).click();
  expect(await page.getByRole("checkbox", { name: "email" }).isChecked()).toBe(true);
  await page.getByRole("searchbox", { name: "Find: Scopes" }).fill("erase all");
  await page.getByRole("checkbox", { name: "AccessManager:Read" }).waitFor({ state: "hidden" });
  for (const name of ["AccessManager:Erase", "openid"]) {
    expect([name, await page.getByRole("checkbox", { name }).isVisible()]).toEqual([name, true]);
  }
  await page.keyboard.press("Enter");
  expect(new URL(page.url()).pathname).toBe("/settings/new-application/spa");
  await visitor.page.getByRole("searchbox", { name: "Find: Scopes" }).fill("");
  await page.getByRole("checkbox", { name: "AccessManager:Read" }).waitFor();
});

const valuesOf = (boxes: Element[]) => boxes.map((box) => box.getAttribute("value"));

test.each([true, false])(
  "with script: %p: a rejected form shows errors beside fields, keeps its input, and warns of http on loopback",
  async (javaScriptEnabled) => {
    const { tenant } = await newTenant();
    await using visitor = await enterSettings(browser, tenant, { javaScriptEnabled, isStyled: true });
    const { page, open, complaints } = visitor;
    await open("/settings/applications");
    await page.getByRole("link", { name: "New application" }).click();
    await page.getByRole("link", { name: "Web application" }).click();
    await page.getByLabel("Name", { exact: true }).fill(HOSTILE);
    const wrong = "http://localhost:3001/back\nhttp://shop.example.com/back";
    await page.getByLabel("Redirect URIs", { exact: true }).fill(wrong);
    expect(await page.getByLabel("email").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Create the application" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.locator("#field-RedirectUris-problem").textContent()).toContain("https");
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe(HOSTILE);
    expect(await page.getByLabel("Redirect URIs", { exact: true }).inputValue()).toBe(wrong);
    expect(await page.getByLabel("email").isChecked()).toBe(true);
    await page.getByText("http on this machine is for development").waitFor();
    await page.getByLabel("Redirect URIs", { exact: true }).fill("http://localhost:3001/back");
    await page.getByRole("button", { name: "Create the application" }).click();
    await page.getByRole("heading", { name: "Secret", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Connect it" }).click();
    await page.getByRole("radio", { name: "Express (Node, Bun)" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText("authorize_redirect(REDIRECT_URI)").waitFor();
    expect(await page.getByText("session.regenerate(").isVisible()).toBe(false);
    await page.getByRole("link", { name: "Credentials", exact: true }).click();
    await page.getByText("http on this machine is for development").waitFor();
    await page.getByRole("link", { name: "Change credentials" }).click();
    await page.getByText("http on this machine is for development").waitFor();
    expect(complaints.filter((line) => !line.includes("status of 422"))).toEqual([]);
  },
);

test("a user who may not set credentials does not see it", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  await visitor.open("/settings/applications");
  expect(await visitor.page.getByRole("link", { name: "New application" }).count()).toBe(0);
  await visitor.open("/settings/new-application/web");
  await visitor.page.getByText(/This requires /).waitFor();
});
