// The face of a tenant's pages: name, logo, colours, links; refused where it could not be read or could deceive.

import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/pages.ts";
import { picture } from "../support/picture.ts";
import { type Api, expectError, ok } from "../world/api.ts";
import { newApplication, Person, signedIn } from "../world/person.ts";
import { rowsOf } from "../world/rows.ts";
import { clientOf, newTenant, shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const SETTINGS = "/TenantSettings";

async function branded(more: Record<string, unknown> = {}) {
  const client = await newApplication();
  const admin = await clientOf(client.tenant);
  const Logo = await picture(600, 120);
  const branding = {
    DisplayName: "Acme Ltd",
    Welcome: "Welcome <b>back</b>.",
    Logo,
    Favicon: await picture(200, 200, "webp"),
    Accent: "#7A1FA2",
    Background: "#fff4e0",
    HelpUri: "https://acme.example/help",
    PrivacyUri: "https://acme.example/privacy?a=1&b=2",
    ...more,
  };
  const saved = await ok(admin.patch(SETTINGS, branding));
  const [{ name }] = (await rowsOf("tenants", { id: client.tenant.tenantId })) as [{ name: string }];
  return { client, admin, saved, name };
}

describe.concurrent("a tenant's face", () => {
  test("is on sign-in, consent, account and sign-out pages, in the browser's tab, and on errors of its requests", async () => {
    const { client, name, saved } = await branded();
    const person = new Person(client);
    const signIn = await person.visitor.open(client.authorize());
    const consent = await signedIn(client).then((one) => one.visitor.open(client.authorize({ prompt: "consent" })));
    const account = await (await signedIn(client)).account();
    const signOut = await (await signedIn(client)).visitor.open("/oauth2/logout");
    for (const { html } of [signIn, consent, account, signOut]) {
      expect(html).toContain(`alt="Acme Ltd"`);
      expect(html).toContain(saved.Logo);
      expect(html).toContain(`<link rel="icon" href="${saved.Favicon}"`);
      expect(html).toContain("· Acme Ltd</title>");
      expect(html).toContain("Welcome &lt;b&gt;back&lt;/b&gt;.");
      expect(html).toContain('href="https://acme.example/privacy?a=1&amp;b=2"');
      // The operator's name of the tenant, beside the chosen one.
      expect(html).toContain(`Pages of <strong>${name}</strong> at`);
      expect(html).not.toContain("<span>Gatehouse</span>");
    }
    const sheets = [...signIn.html.matchAll(/href="(\/assets\/colours\/[^"]*)"/g)].map(([, href]) => href!);
    expect(sheets[0]).toBe("/assets/colours/light/7a1fa2-fff4e0.css");
    const css = await (await fetch(shared().url + sheets[0])).text();
    expect(css).toContain("--main:#7a1fa2");
    expect(signIn.html.replaceAll(/data-options="[^"]*"/g, "")).not.toMatch(/<style|style="|onerror/);
  });

  test("is not on pages of other tenants, of unknown ones, or of none", async () => {
    await branded();
    const other = await new Visitor().open((await newApplication()).authorize());
    const unknown = await new Visitor().open("/signin/no-such-organisation");
    const none = await new Visitor().open("/device");
    for (const { html, status } of [other, unknown, none]) {
      expect(status).toBe(200);
      expect(html).toContain("<span>Gatehouse</span>");
      expect(html).not.toContain("/assets/colours/");
      expect(html).not.toContain("Pages of");
    }
  });

  test("is on the tenant's own sign-in page; an unknown name gets the same page without it", async () => {
    const { client, name, admin } = await branded();
    const at = `/signin/${encodeURIComponent(name)}`;
    const visitor = new Visitor();
    const page = await visitor.open(at);
    expect([page.heading, page.html.includes('alt="Acme Ltd"')]).toEqual(["Sign in", true]);
    expect((await visitor.submit(page, client.tenant.admin)).heading).toBe("Your account");
    expect((await visitor.open(at)).heading).toBe("Your account");
    for (const odd of ["%", "%00", "%zz", "a+b", "..%2f..", "x".repeat(500), "local%20", "%F0%9F%98%80"]) {
      const unknown = await new Visitor().open(`/signin/${odd}`);
      expect({ odd, status: unknown.status }).toEqual({ odd, status: 200 });
    }
    await ok(admin.patch(SETTINGS, { Logo: null, DisplayName: null }));
    expect((await new Visitor().open(at)).html).toContain(`<span>${name}</span>`);
  });

  test("of links in mails is that of the link's tenant", async () => {
    const { admin } = await branded();
    const { Items } = await ok(admin.get("/User?Username=admin"));
    const { Url } = await ok(admin.send("POST", `/User/${Items[0].Id}/PasswordReset`));
    const { pathname, search } = new URL(Url);
    const page = await (await signedIn()).visitor.open(pathname + search);
    expect([page.heading, page.html.includes('alt="Acme Ltd"')]).toEqual(["Choose a password", true]);
  });
});

describe.concurrent("colours", () => {
  test.each([
    ["Accent", "#ffcc00", "light"],
    ["DarkAccent", "#202040", "dark"],
    ["Background", "#808080", "light"],
    ["DarkBackground", "#ffffff", "dark"],
  ])("that cannot be read are refused with the nearest that can: %s %s", async (field, colour, scheme) => {
    const api = await newTenant();
    const refused = await api.patch(SETTINGS, { [field]: colour });
    expect(refused.status).toBe(400);
    const [error] = refused.body.Errors;
    expect(error).toMatch(
      new RegExp(`^${field}: ${colour} has a contrast of \\d\\.\\d on ${scheme} pages, and 4\\.5 is`),
    );
    const [, nearest] = /passes is (#[\da-f]{6})\.$/.exec(error)!;
    expect(await ok(api.patch(SETTINGS, { [field]: nearest }))).toMatchObject({ [field]: nearest });
  });

  test("are judged together: a background that an accent cannot be read on is refused", async () => {
    const api = await newTenant();
    await ok(api.patch(SETTINGS, { Accent: "#6b6b6b" }));
    expectError(await api.patch(SETTINGS, { Background: "#e0e0e0" }), 400, "Bad Input", /Accent: #6b6b6b has/);
  });

  test("are those that the stylesheets have", () => {
    const source = readFileSync(join(ROOT, "server/ui/colours.ts"), "utf8");
    for (const [file, scheme] of [
      ["gatehouse.css", "light"],
      ["dark.css", "dark"],
    ]) {
      const css = readFileSync(join(ROOT, "server/ui/assets", file!), "utf8");
      const part = source.slice(source.indexOf(`  ${scheme}: {`));
      for (const name of ["ground", "ink", "soft", "link"]) {
        const [, used] = new RegExp(`--${name}: (#[\\da-f]+);`).exec(css)!;
        expect({ name, used: part.includes(`${name}: "${used}"`) }).toEqual({ name, used: true });
      }
    }
  });

  test("in a stylesheet's address are only colours", async () => {
    for (const path of [
      "light/x-y.css",
      "light/1f5fbf.css",
      "other/1f5fbf-none.css",
      "light/1f5fbf-none.css.x",
      "light/%7D-none.css",
    ])
      expect((await fetch(`${shared().url}/assets/colours/${path}`)).status).toBe(404);
    const made = await fetch(`${shared().url}/assets/colours/dark/8dbbfa-none.css`);
    expect([made.status, made.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  });
});

describe.concurrent("names", () => {
  test.each([
    "Gatehouse",
    "G a t e h o u s e",
    "ＧＡＴＥＨＯＵＳＥ Login",
    "Gäte-house",
    "Localhost",
    "Аcme Ltd",
    "Αcme",
    "Acme Ꮮtd",
    "support@acme.example",
    "Acme <billing@acme.example>",
  ])("that pose as the installation or mix alphabets are refused: %s", async (DisplayName) => {
    const api = await newTenant();
    expectError(await api.patch(SETTINGS, { DisplayName }), 400, "Bad Input", /^DisplayName: /);
  });

  test.each(["Акме", "Ելենա", "Booking.example", "C@fé", "Ελλάς AE", "Acme · Łódź", "株式会社Acme", "O'Neill & Søns"])(
    "of one alphabet a word are accepted: %s",
    async (DisplayName) => {
      const api = await newTenant();
      expect(await ok(api.patch(SETTINGS, { DisplayName }))).toMatchObject({ DisplayName });
    },
  );

  test("links must be https addresses", async () => {
    const api = await newTenant();
    for (const HelpUri of ["http://acme.example", "javascript:alert(1)", "data:text/html,x", "acme", "https://"]) {
      expectError(await api.patch(SETTINGS, { HelpUri }), 400, "Bad Input", /^HelpUri must be an https address/);
    }
  });
});

describe.concurrent("images", () => {
  const BOMB = async () => picture(2_049, 2_049);
  test.each<[string, () => Promise<string> | string, RegExp]>([
    [
      "an SVG",
      () => `data:image/svg+xml;base64,${Buffer.from("<svg/>").toString("base64")}`,
      /^Logo must be null, or a PNG/,
    ],
    [
      "an SVG that says PNG",
      () => `data:image/png;base64,${Buffer.from("<svg/>").toString("base64")}`,
      /^Logo cannot be shown/,
    ],
    ["an address", () => "https://acme.example/logo.png", /^Logo must be null/],
    ["too many pixels", BOMB, /^Logo cannot be shown: it is not a PNG/],
    [
      "too long a text",
      () => `data:image/png;base64,${"A".repeat(400_000)}`,
      /^Logo has 400022 characters; the limit is 350000/,
    ],
    ["too much detail", () => picture(480, 96, "png", true), /^Logo cannot be shown: its PNG has more than 64 KiB/],
    ["nothing", () => "data:image/png;base64,", /^Logo cannot be shown/],
  ])("%s is refused", async (_, make, says) => {
    const api = await newTenant();
    expectError(await api.patch(SETTINGS, { Logo: await make() }), 400, "Bad Input", says);
  });

  test.each(["png", "jpeg", "webp"] as const)(
    "a %s becomes a small PNG, which stays the same when it is sent again",
    async (type) => {
      const api = await newTenant();
      const { Logo } = await ok(api.patch(SETTINGS, { Logo: await picture(1_000, 100, type) }));
      expect(Logo).toStartWith("data:image/png;base64,");
      const png = Buffer.from(Logo.slice(Logo.indexOf(",") + 1), "base64");
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([480, 48]);
      expect(await ok(api.patch(SETTINGS, { Logo }))).toMatchObject({ Logo });
      expect((await ok(api.get(`${SETTINGS}/Branding`))).Items).toHaveLength(1);
    },
  );
});

describe.concurrent("versions", () => {
  const versions = async (api: Api) => (await ok(api.get(`${SETTINGS}/Branding`))).Items;

  test("are listed with their changes, and one is restored with its images", async () => {
    const { admin, saved } = await branded();
    await ok(admin.patch(SETTINGS, { Logo: null, Accent: null, SecondFactor: "Optional" }));
    expect(await versions(admin)).toMatchObject([
      { Number: 2, Changed: ["Logo", "Accent"], SavedBy: { Type: "Application" } },
      { Number: 1, Changed: expect.arrayContaining(["DisplayName", "Logo", "Accent"]) },
    ]);
    await ok(admin.patch(SETTINGS, { RetentionDays: null }));
    expect(await versions(admin)).toHaveLength(2);
    const restored = await ok(admin.send("POST", `${SETTINGS}/Branding/1/Restore`));
    expect(restored).toMatchObject({ Logo: saved.Logo, Accent: "#7a1fa2", DisplayName: "Acme Ltd" });
    expect(await versions(admin)).toHaveLength(3);
    for (const number of ["4", "0", "x", "1.5"])
      expect((await admin.send("POST", `${SETTINGS}/Branding/${number}/Restore`)).status).toBe(404);
    const [entry] = (await ok(admin.get("/AuditEvent?Kind=TenantSettings.Changed"))).Items;
    expect(entry.Details.Changed).toEqual(expect.arrayContaining(["Logo", "Accent"]));
    expect(JSON.stringify(entry)).not.toContain("base64");
  });

  test("the last 20 are kept, and other tenants see none", async () => {
    const [one, other] = await Promise.all([newTenant(), newTenant()]);
    for (let number = 1; number <= 21; number++) await ok(one.patch(SETTINGS, { Welcome: `Number ${number}` }));
    const numbers = (await versions(one)).map(({ Number: number }: { Number: number }) => number);
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([20, 21, 2]);
    expect(await versions(other)).toEqual([]);
    expect((await other.send("POST", `${SETTINGS}/Branding/2/Restore`)).status).toBe(404);
  });
});

test("random bytes as an image are refused, not a failure", async () => {
  const api = await newTenant();
  for (const length of [1, 8, 100, 5_000]) {
    const Logo = `data:image/webp;base64,${randomBytes(length).toString("base64")}`;
    expect((await api.patch(SETTINGS, { Logo })).status).toBe(400);
  }
});
