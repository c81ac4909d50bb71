// packages/client: the typed API, and tokens that renew themselves.

import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient, type GatehouseClient, type Schemas, TokenRefused } from "../../packages/client/index.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { ROOT } from "../support/pages.ts";
import { PROXIES } from "../support/proxies.ts";
import { withoutSettings } from "../support/stack.ts";
import { newTenant, shared } from "../world/tenant.ts";

/** A proxy before Gatehouse: it counts token requests, and can shorten the stated lifetime. */
function startProxy() {
  const tokens: string[] = [];
  const proxy = { tokens, seconds: undefined as number | undefined };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" ? undefined : await request.bytes();
      const response = await fetch(`${shared().url}${pathname}${search}`, { method, headers, body });
      if (pathname !== "/oauth2/token" || !response.ok) return new Response(response.body, response);
      const token = (await response.json()) as { access_token: string; expires_in: number };
      tokens.push(token.access_token);
      return Response.json({ ...token, expires_in: proxy.seconds ?? token.expires_in });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return Object.assign(proxy, { url, [Symbol.dispose]: () => void server.stop(true) });
}

const namesOf = async (client: GatehouseClient) => {
  const { data, error } = await client.GET("/Application", { params: { query: { Limit: 200 } } });
  expect(error).toBeUndefined();
  return data!.Items.map(({ Name }) => Name);
};

test("a record is created, found, read and deleted", async () => {
  const { tenant } = await newTenant();
  const client = createClient({ url: shared().url, ...tenant.client });
  const body: Schemas["ApplicationData"] = { Name: "Payroll", Is_Active: true };
  const { data } = await client.PATCH("/Application", { body });
  const { Id } = data as Schemas["Application"];
  expect(await namesOf(client)).toContain("Payroll");
  const path = { Id: String(Id) };
  expect((await client.GET("/Application/{Id}", { params: { path } })).data?.Name).toBe("Payroll");
  expect((await client.DELETE("/Application/{Id}", { params: { path } })).response.status).toBe(200);
  const gone = await client.GET("/Application/{Id}", { params: { path } });
  expect(gone.error).toMatchObject({ StatusCode: 404, Type: "/Errors/Not Found", Errors: [expect.any(String)] });
  const secret = await client.POST("/Application/{Id}/Secrets", { params: { path: { Id: tenant.client.clientId } } });
  expect(secret.data?.Secret).toBeString();
});

test("fields missing in the document are type errors", async () => {
  const { tenant } = await newTenant();
  const client = createClient({ url: shared().url, ...tenant.client });
  // @ts-expect-error: it is a text.
  const { error } = await client.PATCH("/Application", { body: { Name: 7 } });
  expect(error?.Errors).toEqual([expect.stringMatching(/^Name must be/)]);
  // @ts-expect-error: there is no such path.
  expect((await client.GET("/Aplication")).response.status).toBe(404);
});

test("requests share a token, and get a new one before it expires or after a revocation", async () => {
  const { tenant } = await newTenant();
  using proxy = startProxy();
  const client = createClient({ url: proxy.url, ...tenant.client });
  await Promise.all([namesOf(client), namesOf(client), namesOf(client)]);
  await namesOf(client);
  expect(proxy.tokens).toHaveLength(1);

  const { clientId: client_id, clientSecret: client_secret } = tenant.client;
  const body = new URLSearchParams({ client_id, client_secret, token: proxy.tokens[0]! });
  expect((await fetch(`${proxy.url}/oauth2/revoke`, { method: "POST", body })).status).toBe(200);
  expect((await client.GET("/Application")).response.status).toBe(401);
  proxy.seconds = 30;
  await namesOf(client);
  expect(proxy.tokens).toHaveLength(2);
  await namesOf(client);
  expect(proxy.tokens).toHaveLength(3);
});

test("a wrong secret is an error, and the next request tries again", async () => {
  const { tenant } = await newTenant();
  const client = createClient({ url: shared().url, ...tenant.client, clientSecret: "wrong" });
  for (const _ of [1, 2]) {
    const failure = await client.GET("/Application").catch((error) => error);
    expect(failure).toBeInstanceOf(TokenRefused);
    expect(failure).toMatchObject({ status: 401, code: "invalid_client" });
    expect(String(failure)).not.toContain("wrong ");
  }
});

test("a redirect is followed neither with the secret nor with the token, and plain http is for this machine", async () => {
  const got: string[] = [];
  const keep = ({ url }: Request) => new Response(String(got.push(url)));
  using elsewhere = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: keep });
  for (const status of [301, 302, 303, 307, 308]) {
    for (const isLater of [false, true]) {
      using server = Bun.serve({
        ...{ hostname: "127.0.0.1", port: 0 },
        fetch({ url }) {
          if (isLater && url.endsWith("/oauth2/token")) return Response.json({ access_token: "a", expires_in: 300 });
          const location = new URL(new URL(url).pathname, elsewhere.url).href;
          return new Response("", { status, headers: { location } });
        },
      });
      const client = createClient({ url: server.url.origin, clientId: "1", clientSecret: "secret" });
      const answer = await client.GET("/Application").catch((error) => error);
      expect(isLater ? answer.response.status : answer.status).toBe(status);
    }
  }
  expect(got).toEqual([]);
  for (const url of ["http://id.example", "http://localhost.example", "ftp://127.0.0.1", "id.example"]) {
    expect(() => createClient({ url, clientId: "1", clientSecret: "secret" })).toThrow(TypeError);
  }
});

test("the example runs", async () => {
  const { tenant } = await newTenant();
  const folder = temporaryDirectory("typed-client");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "demo.json"), JSON.stringify({ publicUrl: shared().url, ...tenant }));
  const child = Bun.spawn([process.execPath, "examples/typed-client.ts"], {
    cwd: ROOT,
    env: { ...withoutSettings(process.env), ...PROXIES, DATA_DIR: folder },
    stdout: "pipe",
    stderr: "inherit",
  });
  expect(await new Response(child.stdout).text()).toMatch(/Saved: .*"Name":"Payroll"[\s\S]*\n\d+ {2}Payroll\n/);
  expect(await child.exited).toBe(0);
});
