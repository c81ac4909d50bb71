import { expect, test } from "bun:test";
import { type PrivateApp, startPrivateApp } from "../support/private-app.ts";
import { type Api, until } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";

const API = "/Endpoint/rest/api/v1";

test("each request is one line, with the route and the client, without personal data", async () => {
  await using app = startPrivateApp();
  const api = await newTenant(app);
  const [read, stranger, method, nowhere] = Array.from({ length: 4 }, () => Bun.randomUUIDv7());
  await ask(app, read!, `/User/zoe.private?Name=Username`, api);
  await ask(app, stranger!, "/User/1", undefined);
  await ask(app, method!, "/Entities", api, "DELETE");
  await ask(app, nowhere!, "/Nothing/zoe.private", api);

  const { clientId } = api.tenant.client;
  const known = { tenantId: api.tenant.tenantId, clientId };
  expect(await lineOf(app, read!)).toEqual({ method: "GET", route: `${API}/User/*`, status: 404, ...known });
  expect(await lineOf(app, stranger!)).toEqual({ method: "GET", route: `${API}/User/*`, status: 401 });
  expect(await lineOf(app, method!)).toEqual({
    method: "DELETE",
    route: `${API}/Entities`,
    status: 405,
    ...known,
  });
  expect(await lineOf(app, nowhere!)).toEqual({ method: "GET", status: 404 });
  const token = app.lines.find((line) => line.route === "/oAuth/rest/v2/Token");
  expect(token).toMatchObject({ method: "POST", status: 200, ...known });

  const text = JSON.stringify(app.lines);
  for (const word of ["zoe.private", "Username", api.tenant.client.clientSecret, "Bearer"]) {
    expect(text).not.toContain(word);
  }
});

test("requests of probes are logged at debug only", async () => {
  await using app = startPrivateApp({}, "debug");
  await fetch(`${app.url}/readyz`);
  await until("the line", () => app.lines.some((line) => line.route === "/readyz"));
  expect(app.lines.find((line) => line.route === "/readyz")).toMatchObject({ level: 20, status: 200 });
});

function ask(app: PrivateApp, requestKey: string, path: string, api: Api | undefined, method = "GET") {
  const authorization = api?.authorization;
  const headers = { "x-request-id": requestKey, ...(authorization && { authorization }) };
  return fetch(app.url + API + path, { method, headers });
}

/** The line of one request, without the fields of every line. It is written after the answer was sent. */
async function lineOf(app: PrivateApp, key: string): Promise<Record<string, unknown>> {
  const line = await until(`the line of ${key}`, () => app.lines.find((entry) => entry.requestKey === key));
  expect(app.lines.filter((entry) => entry.requestKey === key)).toHaveLength(1);
  const { level, msg, durationMs, time, pid, hostname, requestKey, traceId, ...rest } = line;
  expect({ level, msg }).toEqual({ level: 30, msg: "request" });
  expect(durationMs).toBeNumber();
  expect(traceId).toMatch(/^[0-9a-f]{32}$/);
  return rest;
}
