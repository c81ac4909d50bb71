import { expect, test } from "bun:test";
import { healthController, servingLifecycle } from "../../server/platform/http/health.ts";
import { db, shared } from "../world/tenant.ts";

const PROBES = ["/healthz", "/readyz"];

test.each(PROBES)("%s answers GET and HEAD", async (path) => {
  const { url } = shared();
  expect((await fetch(url + path)).status).toBe(200);
  const head = await fetch(url + path, { method: "HEAD" });
  expect(head.status).toBe(200);
  expect(await head.text()).toBe("");
});

test.each(PROBES.flatMap((path) => ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map((method) => [method, path])))(
  "%s %s is 405",
  async (method, path) => {
    const answer = await fetch(shared().url + path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, HEAD");
    expect(await answer.json()).toEqual({
      Errors: ["Use GET or HEAD here."],
      Type: "/Errors/Method Not Allowed",
      Title: "Method Not Allowed",
      StatusCode: 405,
      Instance: path,
      RequestKey: answer.headers.get("x-request-id"),
    });
  },
);

test.each(["127.0.0.1", "[::1]", "localhost"])("/readyz sees a Temporal at %s", async (host) => {
  const temporal = Bun.listen({ hostname: host.replace(/[[\]]/g, ""), port: 0, socket: { data() {} } });
  const app = healthController(db(), `${host}:${temporal.port}`, servingLifecycle());
  const read = async () => (await app.handle(new Request("http://localhost/readyz"))).json();
  expect(await read()).toMatchObject({ temporal: "up" });
  temporal.stop(true);
  expect(await read()).toMatchObject({ temporal: "down" });
});
