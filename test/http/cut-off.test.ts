// Connections that break within a body are not counted as our failures.

import { expect, test } from "bun:test";
import { connect } from "node:net";
import { composedApp } from "../support/composed-app.ts";
import { type PrivateApp, startPrivateApp } from "../support/private-app.ts";
import { until } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";

const METHODS = ["POST", "PATCH"];
const MEDIA_TYPES = ["application/json", "application/x-www-form-urlencoded"];
const ROUTES = [...new Set(composedApp().routes.map(({ path }) => path))];

test("an aborted body is 400 on every route that reads one, and is logged at debug only", async () => {
  await using app = startPrivateApp({}, "debug");
  const api = await newTenant(app);
  const calls = ROUTES.flatMap((route) =>
    METHODS.flatMap((method) => MEDIA_TYPES.map((mediaType) => ({ route, method, mediaType }))),
  ).map((call, i) => ({ ...call, key: i.toString(16).padStart(32, "0") }));
  const cut = async ({ route, method, mediaType, key }: (typeof calls)[number]) => {
    const path = route.replace(/:[^/]+|\*$/g, "1");
    const head = [
      `${method} ${path} HTTP/1.1`,
      "Host: localhost",
      `X-Request-Id: ${key}`,
      `Authorization: ${api.authorization}`,
      `Content-Type: ${mediaType}`,
      "Content-Length: 100",
    ];
    await breakOff(app, `${head.join("\r\n")}\r\n\r\n{"Name":`);
  };
  // All at once would wait too long for the database on a busy machine.
  for (let sent = 0; sent < calls.length; sent += 50) await Promise.all(calls.slice(sent, sent + 50).map(cut));
  const lineOf = (key: string) => app.lines.find((line) => line.requestKey === key && line.msg === "request");
  await until("every request's line", () => calls.every(({ key, route }) => PROBES.has(route) || lineOf(key)));

  const failed = calls.filter(({ key }) => Number(lineOf(key)?.status ?? 0) >= 500);
  expect(failed).toEqual([]);
  expect(app.lines.filter(({ level }) => Number(level) > 30)).toEqual([]);
  const cutOff = calls.flatMap(({ key, route }) => {
    const { level, status } = lineOf(key) ?? {};
    return status === 400 && level === 20 ? [route] : [];
  });
  // At least these, for each kind of body; pages read theirs after the browser is known.
  expect(cutOff).toEqual(
    expect.arrayContaining(["/oauth2/token", "/oAuth/rest/v2/Token", "/Endpoint/rest/api/v1/Application"]),
  );
});

const PROBES = new Set(["/metrics"]);

/** Sends this part of a request, and disconnects. */
function breakOff({ url }: PrivateApp, request: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(request));
    socket.on("data", () => undefined);
    socket.on("close", () => resolve());
    socket.on("error", reject);
  });
}
