// How a page gets its language: the application's wish, the person's choice, the browser, the organisation.

import { describe, expect, test } from "bun:test";
import { texts } from "../../server/ui/index.ts";
import { ok } from "../world/api.ts";
import { type Client, newClient } from "../world/client.ts";
import { arrived, newAddress } from "../world/mailbox.ts";
import { Authenticator, keyOf, newApplication, signedIn } from "../world/person.ts";
import { clientOf } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

const SIGN_IN = { en: "Sign in", de: "Anmelden", fr: "Se connecter", tr: "Oturum aç", ar: "تسجيل الدخول" };
const ACCOUNT = { en: "Your account", de: "Ihr Konto" };

/** The chooser, as a person presses it. */
function choose(visitor: Visitor, page: View, language: string, headers: Record<string, string> = {}): Promise<View> {
  const form = page.chooser!;
  const name = new Map<string, string>(Object.entries(texts.LANGUAGES)).get(language) ?? language;
  return visitor.post(form.action, { ...form.fields, language: name }, headers);
}

const headingFor = async (client: Client, header: string | undefined, fields: Record<string, string> = {}) =>
  (await new Visitor().open(client.authorize(fields), header === undefined ? {} : { "accept-language": header }))
    .heading;

describe.concurrent("the language of a page", () => {
  test.each([
    ["de-AT,de;q=0.9,en;q=0.8", SIGN_IN.de],
    ["es-ES,es;q=0.9,fr;q=0.2,tr;q=0.3", SIGN_IN.tr],
    ["fr;q=0,en", SIGN_IN.en],
    ["ar", SIGN_IN.ar],
    ["*", SIGN_IN.en],
    [";;;q=,,", SIGN_IN.en],
    [`${"es,".repeat(2_000)}de`, SIGN_IN.en],
    [undefined, SIGN_IN.en],
  ])("is the browser's: Accept-Language %s", async (header, heading) => {
    expect(await headingFor(await newClient(), header)).toBe(heading);
  });

  test("is the one that the application asks for, at every step", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const headers = { "accept-language": "fr" };
    const page = await visitor.open(client.authorize({ ui_locales: "xx de-CH en" }), headers);
    expect(page).toMatchObject({ heading: SIGN_IN.de });
    expect(page.html).toContain('<html lang="de"');
    const wrong = await visitor.submit(page, { username: "admin", password: "wrong" }, headers);
    expect(wrong.html).toContain("Benutzername oder Passwort ist falsch.");
    expect((await visitor.submit(wrong, client.tenant.admin, headers)).heading).toBe("Zugriff erlauben");
  });

  test("is the organisation's if the browser has none, but not where it would tell that an organisation exists", async () => {
    const client = await newApplication();
    const admin = await clientOf(client.tenant);
    await ok(admin.patch("/TenantSettings", { Language: "tr" }));
    expect(await headingFor(client, "es")).toBe(SIGN_IN.tr);
    expect(await headingFor(client, "de")).toBe(SIGN_IN.de);
    const { tenantId } = client.tenant;
    for (const path of [`/settings/sign-in?organisation=${tenantId}`, `/account?client_id=${client.id}`]) {
      expect((await new Visitor().open(path, { "accept-language": "es" })).heading).toBe(SIGN_IN.en);
    }
    expect((await admin.patch("/TenantSettings", { Language: "xx" })).body).toMatchObject({
      StatusCode: 400,
      Errors: [expect.stringContaining("Language")],
    });
  });

  test("is the person's choice, which the browser keeps for the next pages", async () => {
    const client = await newApplication();
    const visitor = new Visitor();
    const page = await visitor.open(client.authorize());
    const chosen = await choose(visitor, page, "ar");
    expect(chosen).toMatchObject({ status: 200, heading: SIGN_IN.ar });
    expect(chosen.html).toContain('<html lang="ar" dir="rtl">');
    expect((await visitor.open("/account/reset?token=x", { "accept-language": "de" })).html).toContain('lang="ar"');
  });

  test("is the person's choice although the application asks for another, until it asks for a third", async () => {
    const client = await newApplication();
    const visitor = new Visitor();
    const german = await visitor.open(client.authorize({ ui_locales: "de" }));
    const french = await choose(visitor, german, "fr");
    expect(french.heading).toBe(SIGN_IN.fr);
    const wrong = await visitor.submit(french, { username: "admin", password: "wrong" });
    expect(wrong.html).toContain('lang="fr"');
    expect((await visitor.open(client.authorize({ ui_locales: "tr" }))).heading).toBe(SIGN_IN.tr);
    expect((await visitor.open(client.authorize())).heading).toBe(SIGN_IN.fr);
  });

  test("is kept with a signed-in person, for other browsers and for mails", async () => {
    const client = await newApplication();
    const person = await signedIn(client);
    const address = newAddress();
    const admin = await clientOf(client.tenant);
    const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
    await ok(admin.patch("/User", { Id: user.Id, Email: address, EmailVerified: false }));
    expect((await choose(person.visitor, await person.account(), "de")).heading).toBe(ACCOUNT.de);
    expect((await ok(admin.get(`/User/${user.Id}`))).Locale).toBe("de");
    const other = await signedIn(client);
    expect((await other.account()).heading).toBe(ACCOUNT.de);
    await other.press("/account/address/verify");
    const [{ subject, html }] = await arrived(address);
    expect(subject).toStartWith("Bestätigen Sie Ihre E-Mail-Adresse für ");
    expect(html).toContain('<html lang="de"');
    // A region is kept: it is the same language.
    await ok(admin.patch("/User", { Id: user.Id, Locale: "de-CH" }));
    await choose(other.visitor, await other.account(), "de");
    expect((await ok(admin.get(`/User/${user.Id}`))).Locale).toBe("de-CH");
  });

  test("is that of the page for a mail to a person whose language is not known", async () => {
    const client = await newApplication();
    const address = newAddress();
    const admin = await clientOf(client.tenant);
    await ok(admin.patch("/TenantSettings", { Language: "fr" }));
    await ok(admin.patch("/Invitation", { Email: address, Name: "Ana" }));
    const [invitation] = await arrived(address);
    expect(invitation.subject).toStartWith("Votre invitation chez ");
    const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
    const own = newAddress();
    await ok(admin.patch("/User", { Id: user.Id, Email: own, EmailVerified: true }));
    const visitor = new Visitor();
    const headers = { "accept-language": "tr" };
    const page = await visitor.open(client.authorize(), headers);
    const [, href] = /<a href="(\/signin\/forgotten[^"]*)"/.exec(page.html)!;
    await visitor.submit(await visitor.open(href!, headers), { username: "admin" }, headers);
    expect((await arrived(own))[0].subject).toEndWith("için yeni bir parola belirleyin");
  });
});

describe.concurrent("the chooser's form", () => {
  test("is rejected from another site, with an unknown language, and returns to pages of this host alone", async () => {
    const visitor = new Visitor();
    const page = await visitor.open((await newApplication()).authorize());
    const other = await choose(visitor, page, "de", { "sec-fetch-site": "cross-site" });
    expect(other.status).toBe(403);
    expect((await choose(visitor, page, "xx")).status).toBe(400);
    expect(visitor.cookies.has("gatehouse-language")).toBe(false);
    for (const target of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "/a\r\nset-cookie: x",
      "/ü",
      "/x".repeat(8_200),
    ]) {
      const answer = await fetch(`${visitor.origin}/language`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ language: "Deutsch", page: target }),
      });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account"]);
    }
  });

  test("is not shown where the page would be lost: on recovery codes", async () => {
    const { visitor, client } = await signedIn();
    const page = await visitor.open("/account/second-factor");
    expect(page.chooser?.fields.page).toBe("/account/second-factor");
    const app = new Authenticator(keyOf(page));
    const codes = await visitor.submit(page, { password: client.tenant.admin.password, code: app.code() });
    expect([codes.heading, codes.chooser]).toEqual(["Keep your recovery codes", undefined]);
  });

  test("discovery names the languages", async () => {
    const metadata = await (await fetch(`${new Visitor().origin}/.well-known/openid-configuration`)).json();
    expect(metadata.ui_locales_supported).toEqual(["en", "de", "fr", "tr", "ar"]);
  });
});

describe.concurrent("an organisation's own texts", () => {
  const text = { Language: "en", Name: "toContinueTo", Text: "before you open {application}" };

  test("replace those of the catalogue, on pages and in mails, in their language only", async () => {
    const client = await newApplication();
    const admin = await clientOf(client.tenant);
    const subject = { Language: "fr", Name: "invitationSubject", Text: "<b>{organisation}</b> vous attend" };
    await ok(admin.patch("/TenantSettings", { Texts: [text, subject] }));
    expect((await new Visitor().open(client.authorize())).html).toContain("before you open <strong");
    expect((await new Visitor().open(client.authorize({ ui_locales: "de" }))).html).toContain("weiter zu <strong");
    await ok(admin.patch("/TenantSettings", { Language: "fr" }));
    const address = newAddress();
    await ok(admin.patch("/Invitation", { Email: address, Name: "Ana" }));
    const [mail] = await arrived(address);
    expect(mail.subject).toMatch(/^<b>.*<\/b> vous attend$/);
    expect(mail.html).not.toContain("<b>");
    await ok(admin.patch("/TenantSettings", { Texts: null, Language: "en" }));
    expect((await new Visitor().open(client.authorize())).html).toContain("to continue to <strong");
  });

  test("are those of the application's organisation, although the person is signed in to another", async () => {
    const [client, other] = [await newApplication(), await newApplication()];
    await ok((await clientOf(client.tenant)).patch("/TenantSettings", { Texts: [text], Language: "de" }));
    const { visitor } = await signedIn(client);
    const headers = { "accept-language": "es" };
    expect((await visitor.open("/account", headers)).heading).toBe(ACCOUNT.de);
    const page = await visitor.open(other.authorize(), headers);
    expect(page.heading).toBe(SIGN_IN.en);
    expect(page.html).toContain("to continue to <strong");
  });

  test.each([
    ["an unknown language", { ...text, Language: "xx" }, "Texts[0].Language must be one of en, de, fr, tr, ar."],
    ["an unknown name", { ...text, Name: "constructor" }, "Texts[0].Name is no text of the catalogue."],
    ["a group of texts", { ...text, Name: "errors" }, "Texts[0].Name is no text of the catalogue."],
    [
      "a text that reverses the rest of its line",
      { ...text, Text: "\u202e{application}" },
      "Texts[0].Text must not have a character that reverses the text beside it.",
    ],
    ["no text", { ...text, Text: " " }, "Texts[0].Text must be a text of at most 500 characters."],
    [
      "a long text",
      { ...text, Text: `{application}${"x".repeat(500)}` },
      "Texts[0].Text must be a text of at most 500 characters.",
    ],
    [
      "a missing variable",
      { ...text, Text: "go on" },
      "Texts[0].Text must have the variables {application}, and no others.",
    ],
    ["another variable", { ...text, Name: "signIn", Text: "{user}" }, "Texts[0].Text must have no variables."],
    ["another member", { ...text, More: 1 }, 'Texts[0] must be {"Language": …, "Name": …, "Text": …}.'],
  ])("are rejected with %s", async (_, wrong, error) => {
    const admin = await clientOf((await newApplication()).tenant);
    const { status, body } = await admin.patch("/TenantSettings", { Texts: [wrong] });
    expect({ status, errors: body.Errors }).toEqual({ status: 400, errors: [error] });
  });

  test("are rejected if they are too many, or one occurs twice", async () => {
    const admin = await clientOf((await newApplication()).tenant);
    const twice = await admin.patch("/TenantSettings", { Texts: [text, text] });
    expect(twice.body.Errors).toEqual(["Texts[1] occurs twice."]);
    const many = await admin.patch("/TenantSettings", { Texts: Array.from({ length: 51 }, () => text) });
    expect(many.body.Errors).toEqual(["Texts must be a list of at most 50."]);
  });
});
