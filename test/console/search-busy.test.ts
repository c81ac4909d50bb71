// Search with busy sources: it shows the available results and that they are incomplete.

import { expect, test } from "bun:test";
import { type KeyDatabase, newKeyDatabase } from "../support/key-database.ts";
import { type PrivateApp, startPrivateApp } from "../support/private-app.ts";
import { type Api, until } from "../world/api.ts";
import { type Hold, holdTable, waitingFor } from "../world/locks.ts";
import { newTenant } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

/** An API with a separate database, and a browser signed in to Settings there. */
async function enter(database: KeyDatabase): Promise<{ app: PrivateApp; api: Api; visitor: Visitor }> {
  const app = startPrivateApp({}, "info", { databaseUrl: database.url });
  const api = await newTenant(app);
  const visitor = new Visitor(app.url);
  const signIn = await come(visitor, visitor.open(`/settings?organisation=${api.tenant.tenantId}`));
  expect((await come(visitor, visitor.submit(signIn, api.tenant.admin))).heading).toBe("Overview");
  return { app, api, visitor };
}

/** Redirects lead to PUBLIC_URL, which is not this API's address. */
async function come(visitor: Visitor, opened: Promise<View>): Promise<View> {
  const view = await opened;
  return view.location ? come(visitor, visitor.open(view.location.pathname + view.location.search)) : view;
}

const waits = async ({ sql }: KeyDatabase, hold: Hold) => (await waitingFor(hold, sql)).length > 0;

test("parts that take too long are left out with a note; the rest is found", async () => {
  await using database = await newKeyDatabase();
  const { app, api, visitor } = await enter(database);
  await using _ = app;
  await api.change({ Name: "Front door" });
  await api.change({ Name: "Front gate" });
  await using departments = await holdTable("departments", "access exclusive", database.sql);
  const searching = visitor.open("/settings/search?q=front");
  await until("the search to come to what is held", () => waits(database, departments));
  const { status, html } = await searching;
  expect(status).toBe(200);
  expect(html).toContain("Front door");
  expect(html).toContain("Front gate");
  expect(html).toContain("The search is incomplete");
  const offers = await visitor.open("/settings/search?q=front%20door", { "hx-request": "true" });
  expect(offers.html).toContain("Front door");
  expect(offers.html).toContain("The search is incomplete");
  const nothing = await visitor.open("/settings/search?q=nobody");
  expect(nothing.html).not.toContain("No matches");
  // The only match found may not be the only match.
  expect((await visitor.open("/settings/search?q=front%20door")).heading).toBe("Search");
  await departments.release();
  expect((await come(visitor, visitor.open("/settings/search?q=front%20door"))).heading).toBe("Front door");
});

test("an aborted request stops the search", async () => {
  await using database = await newKeyDatabase();
  const { app, visitor } = await enter(database);
  await using _ = app;
  // Two transactions would use every session of the test's.
  await using events = await holdTable("events", "access exclusive", database.sql);
  await using log = await holdTable("audit_log", "access exclusive", database.sql);
  const leaving = new AbortController();
  const cookie = visitor.cookieHeader;
  const searching = fetch(`${app.url}/settings/search?q=${Bun.randomUUIDv7()}`, {
    headers: { cookie },
    signal: leaving.signal,
  });
  searching.catch(() => {});
  await until("the search to come to what is held", () => waits(database, events));
  leaving.abort();
  // Responses follow after the disconnection was noticed.
  for (let turn = 0; turn < 3; turn++) expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
  await events.release();
  const isOver = () => app.lines.some(({ route }) => route === "/settings/search");
  let wentOn = false;
  await until("the search to end", async () => {
    wentOn ||= await waits(database, log);
    return wentOn || isOver();
  });
  await log.release();
  expect(wentOn).toBe(false);
});
