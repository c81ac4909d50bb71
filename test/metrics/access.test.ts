import { expect, test } from "bun:test";
import { isTaken } from "../../server/appliance/embedded/ports.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { startPrivateApp } from "../support/private-app.ts";
import { withoutSettings } from "../support/stack.ts";
import { setting, shared } from "../world/tenant.ts";

const TOKEN = "a-token-for-the-metrics";
const NONE = { port: undefined, host: "127.0.0.1", token: undefined };

test("the API's own port serves metrics only if a token is set", async () => {
  for (const url of [shared().url, await urlOf(NONE)]) {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ Type: "/Errors/Not Found" });
  }
});

test.each([undefined, "Bearer", "Bearer another-token-for-the-metrics", `Basic ${TOKEN}`, `Bearer ${TOKEN}x`])(
  "with METRICS_TOKEN set, %s is rejected",
  async (authorization) => {
    await using app = startPrivateApp({ metrics: { ...NONE, token: TOKEN } });
    const answer = await fetch(`${app.url}/metrics`, { headers: authorization ? { authorization } : {} });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ Type: "/Errors/Unauthorized", Instance: "/metrics" });
    expect(text).not.toContain(TOKEN);
  },
);

test("with METRICS_TOKEN set, its bearer reads them by GET and HEAD only", async () => {
  await using app = startPrivateApp({ metrics: { ...NONE, token: TOKEN } });
  const ask = (method: string) =>
    fetch(`${app.url}/metrics`, { method, headers: { authorization: `Bearer ${TOKEN}` } });
  const answer = await ask("GET");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(await answer.text()).toContain("# TYPE process_cpu_seconds_total counter\n");
  expect((await ask("HEAD")).status).toBe(200);
  const wrong = await ask("POST");
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("a metrics port in use is reported, and the process does not start", async () => {
  using taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const child = Bun.spawn([process.execPath, "server/serve.ts"], {
    cwd: PROJECT_ROOT,
    env: {
      ...withoutSettings(process.env),
      PORT: "0",
      DATABASE_URL: shared().databaseUrl,
      MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY"),
      METRICS_PORT: String(taken.port),
    },
    stdout: "ignore",
    stderr: "pipe",
  });
  const said = await new Response(child.stderr).text();
  expect(await child.exited).toBe(1);
  expect(JSON.parse(said).msg).toStartWith(`METRICS_PORT is ${taken.port}, which cannot be opened on 127.0.0.1`);
  expect(await isTaken(taken.port!, "127.0.0.1")).toBe(true);
});

async function urlOf(metrics: typeof NONE): Promise<string> {
  const app = startPrivateApp({ metrics });
  return app.url;
}
