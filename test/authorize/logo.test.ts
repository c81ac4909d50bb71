// The logo on the consent page: fetched and re-encoded by Gatehouse, only for the browser that was shown the page.

import { describe, expect, test } from "bun:test";
import { crc32, deflateSync } from "node:zlib";
import { MAX_LOGO_BYTES, MAX_LOGO_FETCHES } from "../../server/identity/oauth/clients/logos.ts";
import { MAX_IMAGE_PIXELS } from "../../server/platform/image.ts";
import { openWindows } from "../support/browser.ts";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { inspect } from "../support/inspect.ts";
import { ok } from "../world/api.ts";
import { type Client, issuer, newClient, newPkce, otherClient } from "../world/client.ts";
import { initialToken, metadata, newRegistrar, PUBLIC, register } from "../world/registrar.ts";
import { newSite } from "../world/site.ts";
import { clientOf } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

const browser = openWindows();
const site = closedAfterAll(newSite());

type Bytes = Uint8Array<ArrayBuffer>;
const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}

/** A PNG of one colour. @param more chunks beyond those of every PNG */
function png(width: number, height: number, more: Buffer[] = [], rows = height): Bytes {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([31, 79, 143]))]);
  const data = deflateSync(Buffer.concat(Array.from({ length: rows }, () => row)));
  const chunks = [chunk("IHDR", head), ...more, chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat([SIGNATURE, ...chunks]));
}

/** Text in metadata chunks of a file. */
const MARK = "carried along";
const CARRYING = [
  chunk("iCCP", Buffer.concat([Buffer.from("x\0\0"), deflateSync(Buffer.alloc(3_000, MARK))])),
  chunk("tEXt", Buffer.from(`Comment\0${MARK}`)),
  chunk("eXIf", Buffer.from(`MM\0*${MARK}`)),
];

const as = async (image: Bun.Image) => new Uint8Array(await image.bytes());

/** A progressive JPEG with many copies of its last scan: each has a dozen bytes, and costs as much as a whole image. */
async function jpegOfScans(times: number): Promise<Bytes> {
  const jpeg = Buffer.from(await new Bun.Image(png(2_000, 2_000)).jpeg({ progressive: true }).bytes());
  const last = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, -2), ...Array(times).fill(last), jpeg.subarray(-2)]));
}

/** Publishes a file at a new address. */
function publish(answer: Bytes | (() => Response)): string {
  const path = `/${Bun.randomUUIDv7()}`;
  site.pages.set(path, typeof answer === "function" ? answer : () => new Response(answer));
  return `https://${site.host}${path}`;
}

const timesAsked = (uri: string) => site.asked.filter((path) => uri.endsWith(path)).length;

async function consent(client: Client, visitor = new Visitor()): Promise<{ page: View; visitor: Visitor }> {
  const page = await visitor.open(client.authorize({ prompt: "consent" }));
  return { visitor, page: page.heading === "Sign in" ? await visitor.submit(page, client.tenant.admin) : page };
}

const srcOf = ({ html }: View) => /<img src="([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&");

const get = (visitor: Visitor, src: string, method = "GET") =>
  fetch(new URL(src, visitor.origin), {
    method,
    headers: { cookie: visitor.cookieHeader },
  });

async function logoOf(client: Client): Promise<Response> {
  const { page, visitor } = await consent(client);
  expect(page).toMatchObject({ status: 200, heading: "Allow access" });
  return get(visitor, srcOf(page)!);
}

/** Our own icon, which replaces a logo that cannot be shown. */
function expectIcon({ status, headers }: Response): void {
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    ...{ "content-type": "image/svg+xml", "x-content-type-options": "nosniff", "cache-control": "private, max-age=60" },
    "content-security-policy": "default-src 'none'; sandbox",
  });
}

describe.concurrent("a logo", () => {
  test.each<[string, () => Bytes | Promise<Bytes>, number[]]>([
    ["PNG", () => png(300, 200), [96, 64]],
    ["PNG with a profile, a comment and Exif data", () => png(300, 200, CARRYING), [96, 64]],
    ["small PNG", () => png(20, 10), [20, 10]],
    ["PNG of one row", () => png(2_000, 1), [96, 1]],
    ["JPEG", () => as(new Bun.Image(png(300, 200)).jpeg()), [96, 64]],
    ["progressive JPEG", () => as(new Bun.Image(png(300, 200)).jpeg({ progressive: true })), [96, 64]],
    ["WebP", () => as(new Bun.Image(png(300, 200)).webp()), [96, 64]],
    ["PNG of as many pixels as may be", () => png(2_048, 2_048), [96, 96]],
  ])("that is a %s is shown as a re-encoded PNG", async (_, make, [width, height]) => {
    const client = await newClient({ logo_uri: publish(await make()) });
    const answer = await logoOf(client);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "private, max-age=300",
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(await new Bun.Image(bytes).metadata()).toMatchObject({ format: "png", width, height });
    expect(bytes.toString("latin1").match(/IHDR|PLTE|tRNS|IDAT|IEND|iCCP|tEXt|eXIf/g)).toEqual([
      "IHDR",
      "IDAT",
      "IEND",
    ]);
  });

  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';
  const redirected: string[] = [];
  test.each<[string, () => Promise<string> | string]>([
    ["an SVG with a script", () => publish(() => new Response(SVG, { headers: { "content-type": "image/svg+xml" } }))],
    [
      "an SVG that says it is a PNG",
      () => publish(() => new Response(SVG, { headers: { "content-type": "image/png" } })),
    ],
    ["a page", () => publish(() => new Response("<!doctype html><p>", { headers: { "content-type": "text/html" } }))],
    ["nothing", () => publish(() => new Response(null))],
    [
      "a GIF",
      () => publish(Uint8Array.from(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"))),
    ],
    ["a PNG that says it has 900 million pixels", () => publish(png(30_000, 30_000, [], 1))],
    ["a PNG of one row too many", () => publish(png(2_048, MAX_IMAGE_PIXELS / 2_048 + 1))],
    ["a JPEG that costs a minute", async () => publish(await jpegOfScans(3_000))],
    ["half of a PNG", () => publish(png(300, 200).slice(0, 150))],
    [
      "a file of a byte too many",
      () => publish(new Uint8Array(Buffer.concat([png(9, 9), Buffer.alloc(MAX_LOGO_BYTES)]))),
    ],
    ["404", () => publish(() => new Response(png(9, 9), { status: 404 }))],
    [
      "a redirect",
      () => {
        redirected.push(publish(png(9, 9)));
        return publish(() => Response.redirect(redirected[0]!, 302));
      },
    ],
    [
      "a file that never ends",
      () => publish(() => new Response(new ReadableStream({ pull: () => Bun.sleep(60_000) }))),
    ],
    ["inside the network", () => "https://10.0.0.1/logo.png"],
    ["a cloud's own service", () => "https://169.254.169.254/logo.png"],
  ])("that is %s is not shown, and the page works without it", async (_, make) => {
    const client = await newClient({ logo_uri: await make() });
    const begun = performance.now();
    const { page, visitor } = await consent(client);
    const answer = await get(visitor, srcOf(page)!);
    expectIcon(answer);
    expect(await answer.text()).toBe(await (await get(visitor, srcOf(page)!)).text());
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect((await visitor.submit(page, { decision: "allow" })).location?.href).toContain("code=");
    for (const uri of redirected) expect(timesAsked(uri)).toBe(0);
  });

  test("is fetched once for concurrent requests, also if it failed", async () => {
    for (const uri of [publish(png(9, 9)), publish(() => new Response(null, { status: 500 }))]) {
      const client = await newClient({ logo_uri: uri });
      const { page, visitor } = await consent(client);
      expect(timesAsked(uri)).toBe(0);
      await Promise.all(Array.from({ length: 20 }, () => get(visitor, srcOf(page)!)));
      await logoOf(client);
      expect(timesAsked(uri)).toBe(1);
    }
  });

  test("is shown only to the browser of the page, at the address of that moment", async () => {
    const client = await newClient({ logo_uri: publish(png(9, 9)) });
    const { page, visitor } = await consent(client);
    const src = srcOf(page)!;
    const sibling = await otherClient(client, { logo_uri: publish(png(9, 9)) });
    const siblings = srcOf((await consent(sibling, visitor)).page)!;
    const stranger = await newClient({ logo_uri: publish(png(9, 9)) });
    const elsewhere = (await consent(stranger)).visitor;
    const again = (await consent(client)).visitor;
    const seal = new URL(src, issuer()).search;
    const expectNone = async (who: Visitor, at: string, method?: string) =>
      expect({ at, status: (await get(who, at, method)).status }).toEqual({ at, status: 404 });

    await expectNone(new Visitor(), src);
    await expectNone(elsewhere, src);
    // The same person in a second browser.
    await expectNone(again, src);
    for (const wrong of [
      "",
      "?shown=",
      "?shown=x",
      `?shown=${page.forms[0]!.fields.shown}`,
      `?shown=${page.forms[0]!.fields.csrf}`,
    ]) {
      await expectNone(visitor, `/consent/logo/${client.id}${wrong}`);
    }
    for (const id of [sibling.id, stranger.id, "0", "x", "", `${client.id}/x`, "99999999999999999999"]) {
      await expectNone(visitor, `/consent/logo/${id}${seal}`);
    }
    await expectNone(visitor, `/consent/logo/${client.id}${new URL(siblings, issuer()).search}`);
    await expectNone(visitor, src, "HEAD");
    expect((await get(visitor, src, "POST")).status).toBe(405);
    expect((await get(visitor, src)).status).toBe(200);
    expect((await get(visitor, siblings)).status).toBe(200);

    const admin = await clientOf(client.tenant);
    await ok(admin.patch(`/Application/${client.id}/Credentials`, { LogoUri: publish(png(9, 9)) }));
    await expectNone(visitor, src);
    await visitor.submit(await visitor.open("/oauth2/logout"), {});
    await expectNone(visitor, siblings);
  });
});

test("counts towards a tenant's fetches per minute", async () => {
  const client = await newClient();
  const admin = await clientOf(client.tenant);
  const { visitor } = await consent(client);
  const types: (string | null)[] = [];
  const uris = Array.from({ length: MAX_LOGO_FETCHES + 2 }, () => publish(png(9, 9)));
  for (const LogoUri of uris) {
    await ok(admin.patch(`/Application/${client.id}/Credentials`, { LogoUri }));
    const { page } = await consent(client, visitor);
    types.push((await get(visitor, srcOf(page)!)).headers.get("content-type"));
  }
  expect(types).toEqual([...Array(MAX_LOGO_FETCHES).fill("image/png"), "image/svg+xml", "image/svg+xml"]);
  expect(uris.map(timesAsked)).toEqual([...Array(MAX_LOGO_FETCHES).fill(1), 0, 0]);
  const other = await newClient({ logo_uri: publish(png(9, 9)) });
  expect((await logoOf(other)).headers.get("content-type")).toBe("image/png");
});

test("of an unapproved client is neither fetched nor shown, unless an administrator set it", async () => {
  const registrar = await newRegistrar("Open");
  const uri = publish(png(9, 9));
  const sent = metadata({ ...PUBLIC, logo_uri: uri });
  const strangers = (await register(registrar, sent)).body.client_id;
  const vouched = (await register(registrar, { ...sent, client_name: "Wiki" }, await initialToken(registrar))).body
    .client_id;
  const visitor = new Visitor();
  const shown = async (client_id: string) => {
    const asked = { response_type: "code", client_id, redirect_uri: "https://app.example/callback", scope: "openid" };
    const page = await visitor.open(`/oauth2/authorize?${new URLSearchParams({ ...asked, ...newPkce().challenge })}`);
    return srcOf(
      page.heading === "Sign in"
        ? await visitor.submit(page, { username: registrar.username, password: registrar.password })
        : page,
    );
  };
  expect(await shown(strangers)).toBeUndefined();
  const seal = new URL((await shown(vouched))!, issuer()).search;
  expect((await get(visitor, `/consent/logo/${strangers}${seal}`)).status).toBe(404);
  expect(timesAsked(uri)).toBe(0);
  expect((await get(visitor, (await shown(vouched))!)).status).toBe(200);
  const LogoUri = publish(png(9, 9));
  await ok(registrar.admin.patch(`/Application/${strangers}/Credentials`, { LogoUri }));
  expect((await get(visitor, (await shown(strangers))!)).status).toBe(200);
  expect([timesAsked(uri), timesAsked(LogoUri)]).toEqual([1, 1]);
});

test("a person sees the logo beside the name, or an icon if there is none", async () => {
  for (const [name, uri] of Object.entries({
    "with-logo": publish(await as(new Bun.Image(png(200, 120)))),
    "without-logo": publish(() => new Response(null, { status: 404 })),
  })) {
    const client = await newClient({
      logo_uri: uri,
      policy_uri: "https://app.example/policy",
      tos_uri: "https://app.example/terms",
    });
    await using window = await browser.newContext();
    const page = await window.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(issuer() + client.authorize());
    await page.getByLabel("User name").fill(client.tenant.admin.username);
    await page.getByLabel("Password").fill(client.tenant.admin.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Allow access" }).waitFor();
    await page.waitForLoadState("load");
    const logo = page.locator("img.logo");
    expect(await logo.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    expect(await logo.boundingBox()).toMatchObject({ width: 56, height: 56 });
    expect(complaints).toEqual([]);
    await inspect(page, `consent-${name}`);
  }
});
