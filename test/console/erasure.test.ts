// A user is erased in Settings: the question, the progress, the certificate, and the events afterwards.

import { describe, expect, test } from "bun:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import type { TenantId } from "../../server/platform/ids.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { type Api, ok, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { enterSettings, newColleague, type Visitor } from "../world/console.ts";
import { plantRemoval } from "../world/planted.ts";
import { startReceiver } from "../world/receiver.ts";
import { fill, removeRows } from "../world/rows.ts";
import { db, newTenant, savePolicy, shared } from "../world/tenant.ts";
import { Visitor as PlainBrowser } from "../world/visitor.ts";
import { waitingErasure } from "./asking.ts";

const browser = openWindows();

/** A refused form is a 422, which the browser reports. */
const complaintsOf = ({ complaints }: Visitor) => complaints.filter((line) => !/status of 4\d\d/.test(line));

async function arrange() {
  const api = await newTenant();
  const { Id } = await api.made("User", {
    ...{ Username: "ana", Name: "Ana Silva", Email: "ana@example.com", Is_Active: true },
  });
  return { api, id: String(Id) };
}

const isThere = async (api: Api, id: string) => (await api.get(`/User/${id}`)).status === 200;

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("an administrator types the user name, watches the erasure, cancels its deliveries, and gets the certificate", async () => {
    const { api, id } = await arrange();
    await api.connect("https://localhost:9443/", { Entities: ["User"], Events: ["Updated"], State: "Paused" });
    await api.made("User", { Id: id, Nickname: "Ani" });
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open } = visitor;
    const look = async (name: string) => (javaScriptEnabled ? inspect(page, name) : undefined);
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const heading = (name: string | RegExp) => page.getByRole("heading", { name, level: 1 }).waitFor();

    await open(`/settings/users/${id}`);
    await look("user-to-erase");
    expect(await page.getByRole("link", { name: "Export data" }).getAttribute("href")).toBe(
      `/settings/users/${id}/export`,
    );
    await page.getByRole("link", { name: "Erase", exact: true }).click();
    await heading("Erase this user?");
    await look("erase-asked");

    await page.getByLabel("User name").fill("anna");
    await button("Erase this user").click();
    await page.getByText("Type the User name of the user to erase.").first().waitFor();
    await look("erase-refused");
    expect(await isThere(api, id)).toBe(true);

    await page.getByLabel("User name").fill("ana");
    await page.getByLabel("Open deliveries").selectOption("Send");
    await button("Erase this user").click();
    await heading(`Erasure of User ${id}`);
    expect(await isThere(api, id)).toBe(false);
    const { Id } = (await ok(api.get("/Erasure"))).Items[0];
    await until("it to wait", async () => (await ok(api.get(`/Erasure/${Id}`))).Waiting > 0);
    if (!javaScriptEnabled) await open(`/settings/erasures/${Id}`);
    await page.getByText(/^Waits for \d+ open deliver/).waitFor();
    await look("erasure-waiting");

    await button("Cancel the deliveries").click();
    await look("erasure-cancel-asked");
    await button("Cancel them").click();
    await heading(`Erasure of User ${id}`);
    await until("it to end", async () => (await ok(api.get(`/Erasure/${Id}`))).State === "Completed");
    if (!javaScriptEnabled) await open(`/settings/erasures/${Id}`);
    await page.getByRole("heading", { name: "Certificate" }).waitFor();
    await look("erasure-ended");
    const shown = await page.locator(".secret code").textContent();
    const { payload } = await jwtVerify(shown!, createRemoteJWKSet(new URL(`${shared().url}/.well-known/jwks.json`)), {
      typ: "erasure-certificate+jwt",
    });
    expect(payload).toMatchObject({ jti: Id, UserId: id, Deliveries: "Cancel" });

    await open("/settings/users");
    await page.getByRole("link", { name: "Erasures and their certificates" }).click();
    await heading("Erasures");
    await look("erasures");
    await page.getByRole("link", { name: `User ${id}` }).click();
    await heading(`Erasure of User ${id}`);
    expect(complaintsOf(visitor)).toEqual([]);
  });
});

test("a user name is typed as it is seen", async () => {
  const api = await newTenant();
  // Decomposed, with two spaces that a page shows as one.
  const { Id } = await api.made("User", { Username: "Zoe\u0301  Silva", Is_Active: true });
  const visitor = await plainly(api);
  const path = `/settings/users/${Id}/erase`;
  const { fields } = (await visitor.open(path)).forms.find(({ action }) => action === path)!;
  const typed = (Username: string) => visitor.post(path, { ...fields, Username, Deliveries: "Send" });
  expect((await typed("Zoe Silva")).status).toBe(422);
  expect(await typed(" Zo\u00e9 Silva")).toMatchObject({ status: 200, heading: `Erasure of User ${Id}` });
  expect(await isThere(api, String(Id))).toBe(false);
  const erasure = (await ok(api.get("/Erasure"))).Items[0].Id;
  const { html } = await visitor.open(`/settings/search?q=${erasure}`);
  expect(html).toContain(`/settings/erasures/${erasure}`);
});

test("a user's data is a file", async () => {
  const { api, id } = await arrange();
  const { status, headers, html } = await (await plainly(api)).open(`/settings/users/${id}/export`);
  expect([status, headers.get("content-type"), html.slice(0, 2)]).toEqual([200, "application/zip", "PK"]);
});

test("the certificate is a file", async () => {
  const { api, id } = await arrange();
  const { Id } = await ok(api.call("POST", `/User/${id}/Erase`));
  const visitor = await plainly(api);
  const path = `/settings/erasures/${Id}/certificate.jwt`;
  await until("it to end", async () => (await ok(api.get(`/Erasure/${Id}`))).State === "Completed");
  const { status, html, headers } = await visitor.open(path);
  expect(status).toBe(200);
  expect(html).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(headers.get("content-type")).toBe("application/jwt");
  expect(headers.get("content-disposition")).toBe(`attachment; filename="erasure-${Id}.jwt"`);
});

test("a certificate is 409 while the erasure runs", async () => {
  const { api, Id } = await waitingErasure();
  expect((await (await plainly(api)).open(`/settings/erasures/${Id}/certificate.jwt`)).status).toBe(409);
});

/** A browser of the tenant's administrator or of a colleague. */
async function plainly({ tenant }: Api, by = tenant.admin): Promise<PlainBrowser> {
  const visitor = new PlainBrowser(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${tenant.tenantId}`), by);
  return visitor;
}

test("without the scope or a policy that permits it, there is no button, and the page is 403", async () => {
  const { api, id } = await arrange();
  const { Items } = await ok(api.get("/Role?Limit=200"));
  const { Scopes } = Items.find(({ Name }: { Name: string }) => Name === "admin");
  const without = Scopes.filter((scope: string) => scope !== "AccessManager:Erase");
  await ok(api.patch("/Role", { Name: "clerks", Scopes: without }));
  await savePolicy(api, "clerks", 'permit (principal in Role::"clerks", action, resource);');
  const clerk = await newColleague(api, "clerks");
  await savePolicy(
    api,
    "kept",
    `forbid (principal is User, action == Action::"AccessManager:Erase", resource == User::"${id}");`,
  );
  for (const by of [clerk, api.tenant.admin]) {
    const visitor = await plainly(api, by);
    const own = await until("the policy", async () => {
      const view = await visitor.open(`/settings/users/${id}`);
      return !view.html.includes(`/settings/users/${id}/erase"`) && view;
    });
    expect(own).toMatchObject({ status: 200, heading: "Ana Silva" });
    const path = `/settings/users/${id}/erase`;
    expect((await visitor.open(path)).status).toBe(403);
    const { csrf } = own.forms[0]!.fields;
    expect((await visitor.post(path, { csrf: csrf!, Username: "ana", Deliveries: "Send" })).status).toBe(403);
  }
  expect(await isThere(api, id)).toBe(true);
});

test("administrators cannot erase themselves", async () => {
  const { api } = await arrange();
  const { Id } = (await ok(api.get("/User?Username=admin"))).Items[0];
  const visitor = await plainly(api);
  const path = `/settings/users/${Id}/erase`;
  const { forms } = await visitor.open(path);
  const { fields } = forms.find(({ action }) => action === path)!;
  const view = await visitor.post(path, { ...fields, Username: "admin", Deliveries: "Send" });
  expect(view.status).toBe(422);
  expect(view.html).toContain('role="alert"');
  expect(await isThere(api, Id)).toBe(true);
});

test("an old event says when its payload and its answers were removed", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { Name: "Directory" });
  // Between PAYLOAD_RETENTION and RETENTION.
  const at = new Date(Date.now() - 10 * 86_400_000);
  await fill(db(), { tenantId: api.tenantId as TenantId, connectionIds: [Id], events: 1, spanMs: Date.now() - +at });
  const { EventId } = (await api.events("Limit=1")).Items[0]!;
  await removeRows("payloads", { event_id: EventId });
  await removeRows("responses", { event_id: EventId });
  await plantRemoval("payloads", at);
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open(`/settings/activity/${EventId}`);
  await page.getByText("after PAYLOAD_RETENTION, with what receivers answered.").waitFor();
  await page.getByText("Attempt 1: request and response").click();
  await page.getByText("Removed with the payload.").waitFor();
  await inspect(page, "event-without-payload");
  expect(visitor.complaints).toEqual([]);
});

test("the event of an erased user says that its payload and its answers are removed", async () => {
  const { api, id } = await arrange();
  await using receiver = startReceiver(() => new Response("Thank you, Ana.", { status: 400 }));
  await api.connect(receiver.url, { Entities: ["User"] });
  await api.made("User", { Id: id, Nickname: "Ani of the hill" });
  const { EventId } = await api.settledEvent();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open } = visitor;
  await open(`/settings/activity/${EventId}`);
  await page.getByText("Thank you, Ana.").first().waitFor({ state: "attached" });

  const { Id } = await ok(api.call("POST", `/User/${id}/Erase`, { Deliveries: "Cancel" }));
  await until("it to end", async () => (await ok(api.get(`/Erasure/${Id}`))).State === "Completed");
  await open(`/settings/activity/${EventId}`);
  await page.getByText(/^Removed .*, by the erasure of a person, with what receivers answered\./).waitFor();
  await page.getByText("Removed with the payload.").last().waitFor();
  expect(await page.content()).not.toContain("Ani of the hill");
  await inspect(page, "event-of-an-erased-user");
  expect(await api.redeliver(EventId)).toMatchObject({
    status: 409,
    body: { Errors: [expect.stringMatching(/was removed on \d{4}-\d\d-\d\d, by the erasure of a person/)] },
  });
  expect(complaintsOf(visitor)).toEqual([]);
});

test("the data of a user deleted earlier is found by the Id and erased", async () => {
  const { api, id } = await arrange();
  await api.made("User", { Id: id, Nickname: "Ani" });
  await ok(api.call("DELETE", `/User/${id}`));
  const visitor = await plainly(api);
  for (const [given, problem] of [
    ["999999", "There is no User with this Id, and no data about one."],
    ["seven", "UserId"],
  ] as const) {
    const { status, html } = await visitor.open(`/settings/erasures?UserId=${given}`);
    expect(status).toBe(400);
    expect(html).toContain(problem === "UserId" ? "Id of a deleted user" : problem);
  }
  const asked = await visitor.open(`/settings/erasures?UserId=${id}`);
  expect(asked.heading).toBe(`Erase the data of deleted user ${id}?`);
  const path = `/settings/users/${id}/erase`;
  const { fields } = asked.forms.find(({ action }) => action === path)!;
  expect((await visitor.post(path, { ...fields, Username: "7", Deliveries: "Send" })).status).toBe(422);
  const erasing = await visitor.post(path, { ...fields, Username: id, Deliveries: "Send" });
  expect(erasing).toMatchObject({ status: 200, heading: `Erasure of User ${id}` });
  const { Id } = (await ok(api.get("/Erasure"))).Items[0];
  await until("it to end", async () => (await ok(api.get(`/Erasure/${Id}`))).State === "Completed");
});
