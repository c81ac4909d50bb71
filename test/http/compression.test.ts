// Pages are compressed, and a page that refreshes itself gets only the parts that have changed.

import { expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { issuer } from "../world/client.ts";
import { connected } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync };
const TOKEN = /name="csrf" value="([\w-]+)"/;

async function signedIn() {
  const api = await newTenant();
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${api.tenantId}`), api.tenant.admin);
  return { api, visitor };
}

/** The bytes as they are sent. */
async function ask(visitor: Visitor, path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(issuer() + path, {
    headers: { cookie: visitor.cookieHeader, accept: "text/html", ...headers },
    decompress: false,
  });
  return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
}

test.each([
  ["zstd, br, gzip", "zstd"],
  ["gzip, deflate, br", "br"],
  ["gzip;q=1.0, br;q=0", "gzip"],
  ["deflate", null],
  ["", null],
])("a page for %p is sent as %p, and says that it depends on it", async (accepted, encoding) => {
  const { visitor } = await signedIn();
  const { headers, bytes } = await ask(visitor, "/settings/policies", { "accept-encoding": accepted });
  expect([headers.get("content-encoding"), headers.get("vary")]).toEqual([encoding, "Accept-Encoding"]);
  const page = encoding ? DECODE[encoding as keyof typeof DECODE](bytes) : bytes;
  expect(Buffer.from(page).toString("utf8")).toContain("<h1>Policies</h1>");
  if (encoding) expect(bytes.length * 3).toBeLessThan(page.length);
});

test("the length of a page tells no secret: guesses of other sites, form tokens, secrets shown once", async () => {
  const { api, visitor } = await signedIn();
  const accepted = { "accept-encoding": "br" };
  for (const site of ["cross-site", "same-site"]) {
    const { headers } = await ask(visitor, "/settings/policies?Name=guess", { ...accepted, "sec-fetch-site": site });
    expect(headers.get("content-encoding")).toBeNull();
  }
  const tokens = await Promise.all(
    [1, 2].map(async () => TOKEN.exec((await visitor.open("/settings/data")).html)![1]!),
  );
  expect(tokens[0]).not.toBe(tokens[1]);
  // Each of them is accepted.
  for (const csrf of tokens) {
    expect((await visitor.post("/settings/first-steps/dismiss", { csrf })).heading).toBe("Overview");
  }
  const forged = tokens[0]!.replace(/^./, (first) => (first === "A" ? "B" : "A"));
  expect((await visitor.post("/settings/first-steps/dismiss", { csrf: forged })).status).toBe(409);
  const { body } = await api.call<{ Items: { Id: number }[] }>("GET", "/Application?Name=demo-client");
  const form = await visitor.open(`/settings/applications/${body.Items[0]!.Id}/secrets`);
  const csrf = TOKEN.exec(form.html)![1]!;
  const made = await visitor.post(`/settings/applications/${body.Items[0]!.Id}/secrets`, { csrf }, accepted);
  expect([made.status, made.headers.get("cache-control")]).toEqual([200, "no-store, no-transform"]);
});

test("small pages, assets of other kinds and streams are left as they are", async () => {
  const { api, visitor } = await signedIn();
  const small = await ask(visitor, "/settings/search?q=nothing+like+it", {
    "accept-encoding": "br",
    "hx-request": "true",
  });
  expect([small.headers.get("content-encoding"), small.headers.get("vary")]).toEqual([null, "Accept-Encoding"]);
  const json = await ask(visitor, "/openapi.json", { "accept-encoding": "br" });
  expect(json.headers.get("content-encoding")).toBeNull();
  expect((await api.call("GET", "/User")).headers.get("vary")).not.toContain("Accept-Encoding");
});

test("a refresh gets its part only, and nothing while that is unchanged", async () => {
  const { api, visitor } = await signedIn();
  await using _ = await connected(api);
  const { Id } = (await api.get("/WebhookConnection")).body.Items[0];
  const path = `/settings/webhooks/${Id}`;
  const page = await visitor.open(path);
  const digest = /id="deliveries"[\s\S]*?If-None-Match&#34;:&#34;(W\/\\&#34;[\w-]+\\&#34;)/.exec(page.html)?.[1];
  const tag = digest!.replaceAll("\\&#34;", '"');
  const refresh = (given: string) =>
    ask(visitor, path, { "hx-request": "true", "hx-target": "div#deliveries", "if-none-match": given });
  const unchanged = await refresh(tag);
  expect([unchanged.status, unchanged.bytes.length, unchanged.headers.get("etag")]).toEqual([304, 0, tag]);
  await api.settledChange({ Name: "Front door" });
  const changed = await refresh(tag);
  const html = Buffer.from(changed.bytes).toString("utf8");
  expect(changed.status).toBe(200);
  expect(html).toStartWith('<!doctype html><div id="deliveries"');
  expect(html).toContain("Front door");
  expect(html.length * 3).toBeLessThan(page.html.length);
});
