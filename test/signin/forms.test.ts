// Protection of pages and forms: tokens, cookies, headers.

import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { answerOf, type Client, newClient, SPEC_PATH } from "../world/client.ts";
import { rowsOf, setRows } from "../world/rows.ts";
import { db, shared } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

async function consentPage(client: Client, visitor: Visitor): Promise<View> {
  return visitor.submit(await visitor.open(client.authorize()), client.tenant.admin);
}

describe.concurrent("a form's token", () => {
  test("of the sign-in form: missing, wrong, of another browser, or without a cookie", async () => {
    const client = await newClient();
    const [visitor, stranger] = [new Visitor(), new Visitor()];
    const page = await visitor.open(client.authorize());
    const foreign = (await stranger.open(client.authorize())).forms[0]!.fields.csrf;
    for (const csrf of [undefined, "", "x", foreign, `${page.forms[0]!.fields.csrf}x`.slice(1)]) {
      const view = await visitor.submit(page, { ...client.tenant.admin, csrf });
      expect(view).toMatchObject({ status: 403, heading: "Sign in" });
    }
    expect(visitor.cookies.has("gatehouse-session")).toBe(false);
    // Login CSRF: the attacker's own form in a browser that never saw it.
    expect((await new Visitor().submit(page, client.tenant.admin)).status).toBe(403);
  });

  test("of the consent form belongs to the session", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const signIn = await visitor.open(client.authorize());
    const page = await visitor.submit(signIn, client.tenant.admin);
    for (const csrf of [undefined, "x", signIn.forms[0]!.fields.csrf]) {
      expect((await visitor.submit(page, { decision: "allow", csrf })).status).toBe(403);
    }
    const again = await visitor.submit(await visitor.open(client.authorize({ prompt: "login" })), client.tenant.admin);
    expect((await visitor.submit(page, { decision: "allow" })).status).toBe(403);
    expect(answerOf(await visitor.submit(again, { decision: "allow" })).code).toBeString();
  });

  test("a form sent twice, or above its limit, is rejected", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const page = await visitor.open(client.authorize());
    expect((await visitor.submit(page, { username: "x".repeat(70_000) })).status).toBe(413);
    const fields = new URLSearchParams(page.forms[0]!.fields);
    expect((await visitor.post("/signin", `${fields}&username=a&username=b`)).status).toBe(400);
  });
});

describe.concurrent("the session", () => {
  test("cookies are HttpOnly and Lax for the whole host, named for Gatehouse alone", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    await client.visit(visitor);
    const set = visitor.trail.flatMap(({ headers }) => headers.getSetCookie()).map((line) => Bun.Cookie.parse(line));
    // Another installation on this host has another port.
    const nameOf = (name: string) => `gatehouse-${name}-${new URL(shared().url).port}`;
    expect(set.map((cookie) => cookie.name).sort()).toEqual(["device", "session", "visitor"].map(nameOf));
    for (const cookie of set)
      expect(cookie).toMatchObject({ path: "/", httpOnly: true, sameSite: "lax", domain: null });
    expect(set.find((cookie) => cookie.name === nameOf("session"))!.maxAge).toBeUndefined();
  });

  test("is stored as a hash, and ends when idle, old, or its user inactive", async () => {
    const client = await newClient();
    const { tenantId } = client.tenant;
    const visitor = new Visitor();
    await client.visit(visitor);
    const stored = JSON.stringify(await rowsOf("sessions", { tenant_id: tenantId }));
    expect(stored).not.toContain(visitor.cookies.get("gatehouse-session")!);
    const isThere = async () => (await visitor.open(client.authorize())).heading !== "Sign in";
    const ends = async (column: string, change: string, back: string) => {
      expect(await isThere()).toBe(true);
      await db().unsafe(`update ${change} where ${column} = '${tenantId}'`);
      expect(await isThere()).toBe(false);
      await db().unsafe(`update ${back} where ${column} = '${tenantId}'`);
    };
    await ends("tenant_id", "users set is_active = false", "users set is_active = true");
    await ends("tenant_id", "sessions set last_seen = now() - interval '8 hours'", "sessions set last_seen = now()");
    await ends("tenant_id", "sessions set expires_on = now()", "sessions set expires_on = now() + interval '1 hour'");
    expect(await isThere()).toBe(true);
  });
});

describe.concurrent("every page", () => {
  test("is never cached or framed, runs no foreign script, and sends no Referer", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const pages = [
      await visitor.open(client.authorize()),
      await visitor.open(client.authorize({}, SPEC_PATH)),
      await visitor.open(client.authorize({ client_id: "1" })),
      await consentPage(client, visitor),
      await visitor.open(client.authorize({ prompt: "select_account" })),
      await visitor.open("/oauth2/logout"),
      await new Visitor().open("/oauth2/logout"),
      await new Visitor().post("/signin", {}),
      await client.visit(new Visitor(), { response_mode: "form_post" }),
    ];
    for (const { headers, html, heading } of pages) {
      expect(heading).not.toBe("");
      const policy = headers.get("content-security-policy")!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).not.toContain("unsafe");
      expect(policy).not.toContain("*");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(html).not.toMatch(/\son\w+=|\sstyle=|<script>|<style/i);
      expect(html).toMatch(/^<!doctype html><html lang="en">/);
    }
  });

  test("loads its style and script from here, cached permanently under a hashed name", async () => {
    const client = await newClient();
    const page = await client.visit(new Visitor(), { response_mode: "form_post" });
    const paths = [...page.html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(paths).toHaveLength(5);
    expect(page.html).not.toMatch(/(?:href|src)="(?:https?:)?\/\//);
    for (const path of paths) {
      const asset = await fetch(new Visitor().origin + path);
      expect(asset.status).toBe(200);
      expect(asset.headers.get("cache-control")).toContain("immutable");
      expect(asset.headers.get("content-type")).toMatch(/^text\/(css|javascript)/);
    }
  });

  test("sends them compressed as the browser accepts, with the same contents", async () => {
    const client = await newClient();
    const page = await new Visitor().open(client.authorize());
    const path = /href="(\/assets\/pico-[^"]+)"/.exec(page.html)![1]!;
    const get = async (accepted: string) => {
      const headers = { "accept-encoding": accepted };
      const asset = await fetch(new Visitor().origin + path, { headers, decompress: false });
      expect(asset.headers.get("vary")).toBe("Accept-Encoding");
      return { encoding: asset.headers.get("content-encoding"), bytes: Buffer.from(await asset.arrayBuffer()) };
    };
    const plain = await get("identity");
    expect(plain.encoding).toBeNull();
    const [brotli, gzip] = [await get("gzip, deflate, br, zstd"), await get("deflate,gzip")];
    expect([brotli.encoding, gzip.encoding]).toEqual(["br", "gzip"]);
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 4);
    for (const none of ["", "br;q=0, gzip;q=0", "brotli, x-gzip", "zstd"])
      expect((await get(none)).encoding).toBeNull();
  });

  test("shows an application's name as text", async () => {
    const client = await newClient();
    const name = `<img src=x onerror=alert(1)> ${client.id}`;
    await setRows("applications", { id: client.id }, { name });
    const visitor = new Visitor();
    for (const page of [await visitor.open(client.authorize()), await consentPage(client, visitor)]) {
      expect(page.html).toContain("&lt;img src=x");
      expect(page.html).not.toContain("<img");
    }
  });
});
