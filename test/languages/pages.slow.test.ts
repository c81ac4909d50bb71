// Walks the pages for people in every language: no English is left, lang and dir are right, and the page fits a phone.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { texts } from "../../server/ui/index.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { ok } from "../world/api.ts";
import { type Client, issuer, newClient } from "../world/client.ts";
import { beginDevice } from "../world/device.ts";
import { type ForgedProvider, sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { arrived, newAddress } from "../world/mailbox.ts";
import { Authenticator, keyOf, newApplication, Person } from "../world/person.ts";
import { addProvider, newUpstreamTenant, startLinking, toProvider } from "../world/provider.ts";
import { answerWith, newPasskeyPage, SecurityKey } from "../world/security-key.ts";
import { clientOf } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

const GOOD = "correct horse battery staple";

/** A browser whose person has chosen a language. It keeps every page. */
class Reader extends Visitor {
  constructor(
    readonly language: texts.LanguageCode,
    readonly pages: Map<string, View>,
  ) {
    super();
    this.cookies.set("gatehouse-language", language);
  }

  override async open(path: string): Promise<View> {
    return this.kept(await super.open(path));
  }

  override async post(path: string, fields: Record<string, string> | string): Promise<View> {
    return this.kept(await super.post(path, fields));
  }

  private kept(view: View): View {
    const [, said = ""] = /<h1[^>]*>[\s\S]*?<\/h1>([\s\S]*?)<form/.exec(`${view.html}<form`) ?? [];
    if (view.heading) this.pages.set(`${view.heading} ${view.status} ${said}`, view);
    return view;
  }
}

type Walk = (reader: () => Reader) => Promise<void>;

const passwordOf = ({ tenant }: Client) => tenant.admin.password;
const pathOf = (link: string) => link.slice(new URL(link).origin.length);

/** A person of this browser, signed in. */
async function personAt(visitor: Reader, client: Client): Promise<Person> {
  const person = Object.assign(new Person(client), { visitor });
  expect((await person.signIn()).status).toBe(302);
  return person;
}

async function withAddress(client: Client, EmailVerified: boolean): Promise<string> {
  const admin = await clientOf(client.tenant);
  const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
  const address = newAddress();
  await ok(admin.patch("/User", { Id: user.Id, Email: address, EmailVerified }));
  return address;
}

const signIn: Walk = async (reader) => {
  const client = await newClient();
  await withAddress(client, true);
  const visitor = reader();
  const scope = { scope: "openid profile email AccessManager:Read Settings:Read" };
  const page = await visitor.open(client.authorize(scope));
  await visitor.submit(page, { username: "admin", password: "wrong" });
  await visitor.submit(page, { ...client.tenant.admin, csrf: "x" });
  const forgotten = await visitor.open(/href="(\/signin\/forgotten[^"]*)"/.exec(page.html)![1]!);
  await visitor.submit(forgotten, { username: "nobody" });
  const consent = await visitor.submit(page, client.tenant.admin);
  await visitor.submit(consent, { decision: "allow", shown: "x" });
  await visitor.open(client.authorize({ ...scope, prompt: "select_account" }));
  await visitor.open(client.authorize({ redirect_uri: "https://other.example/" }));
  await visitor.open(client.authorize({ response_type: "x" }));
  await visitor.open(`/account?organisation=${crypto.randomUUID()}`);
  await visitor.open("/oauth2/logout");
  await visitor.submit(await visitor.open("/oauth2/logout"));
  await reader().open("/settings/sign-in?next=%2Faccount&organisation=");
  await reader().open("/settings/signed-out");
};

const account: Walk = async (reader) => {
  const client = await newApplication();
  const person = await personAt(reader(), client);
  const password = passwordOf(client);
  await personAt(reader(), client);
  await person.account();
  await person.send("/account/password", { password: "wrong", new_password: GOOD });
  await person.send("/account/password", { password, new_password: "short" });
  await person.send("/account/password", { password, new_password: "admin2024" });
  const enrolment = await person.visitor.open("/account/second-factor");
  const app = new Authenticator(keyOf(enrolment));
  await person.visitor.submit(enrolment, { password, code: app.wrongCode() });
  await person.visitor.submit(enrolment, { password, code: app.code() });
  await person.account();
  for (const path of ["recovery-codes", "second-factor/remove", "data", "passkeys/add"]) {
    await person.visitor.open(`/account/${path}`);
  }
  const other = Object.assign(new Person(client), { visitor: reader() });
  const asked = await other.signIn();
  await other.visitor.submit(asked, { code: app.wrongCode() });
  await person.press("/account/sessions/end", { session: "others" });
};

const passkeys: Walk = async (reader) => {
  const client = await newApplication();
  const person = await personAt(reader(), client);
  const page = await newPasskeyPage(person);
  await answerWith(person, page, "x");
  await answerWith(person, await newPasskeyPage(person), new SecurityKey().create(page));
  const again = await newPasskeyPage(person);
  await answerWith(person, again, new SecurityKey().create(again));
  await person.press("/account/passkeys/remove");
  const signIn = await reader().open(client.authorize());
  await person.visitor.post("/signin/passkey", { ...signIn.forms[1]!.fields, credential: "{}" });
};

const links: Walk = async (reader) => {
  const client = await newApplication();
  const person = await personAt(reader(), client);
  const password = passwordOf(client);
  const address = await withAddress(client, false);
  await person.account();
  await person.press("/account/address/verify");
  await person.visitor.open(pathOf((await arrived(address))[0].link));
  await person.send("/account/address/change", { address: "x", password });
  await person.send("/account/address/change", { address: newAddress(), password: "wrong" });
  await withAddress(client, true);
  const verified = await withAddress(client, true);
  await person.send("/account/password", { password, new_password: GOOD });
  const alarm = await person.visitor.open(pathOf((await arrived(verified))[0].link));
  await person.visitor.submit(alarm);
  const reset = await person.visitor.open(pathOf((await arrived(verified, 2))[1]!.link));
  await person.visitor.submit(reset, { new_password: "short" });
  await person.visitor.submit(reset, { new_password: GOOD });
  for (const path of ["reset", "address", "not-me", "invitation"])
    await person.visitor.open(`/account/${path}?token=x`);

  const admin = await clientOf(client.tenant);
  const invited = newAddress();
  await ok(admin.patch("/Invitation", { Email: invited, Name: "Ana Silva" }));
  const invitation = pathOf((await arrived(invited))[0].link);
  const guest = reader();
  const page = await guest.open(invitation);
  await guest.submit(page, { username: "admin", new_password: GOOD });
  await guest.submit(page, { username: "\u0007", new_password: GOOD });
  const member = await personAt(reader(), await newApplication());
  await member.visitor.open(invitation);
  await guest.submit(page, { new_password: GOOD });
};

const signUp: Walk = async (reader) => {
  // Its answers depend on the last question, and the walks run at once.
  await using own = await startForgedProvider();
  const tenant = await newUpstreamTenant({ Issuer: own.issuer, Provisioning: "LinkOnly" });
  const { client, caller } = tenant;
  const pages = { TermsUri: "https://acme.example/terms", PrivacyUri: "https://acme.example/privacy" };
  await ok(caller.patch("/TenantSettings", { SignUp: "Approval", KeepSignedIn: "Asked", ...pages }));
  const visitor = reader();
  const page = await visitor.open(client.authorize());
  const asking = await visitor.open(/href="(\/signin\/sign-up[^"]*)"/.exec(page.html)![1]!);
  await visitor.submit(asking, { email: "x" });
  const address = newAddress();
  await visitor.submit(asking, { email: address });
  const form = await visitor.open(pathOf((await arrived(address))[0].link));
  await visitor.submit(form, { name: " ", new_password: GOOD });
  await visitor.submit(form, { name: "Ana Silva", new_password: GOOD });
  await visitor.submit(form, { name: "Ana Silva", new_password: GOOD });
  const other = reader();
  await other.submit(await other.open(`/account?organisation=${client.tenant.tenantId}`), client.tenant.admin);

  const invited = newAddress();
  await ok(caller.patch("/Invitation", { Email: invited, Name: "Ana Silva" }));
  const guest = reader();
  const invitation = await guest.open(pathOf((await arrived(invited))[0].link));
  const start = invitation.forms.find(({ action }) => action.endsWith("/provider"))!;
  const there = await guest.post(start.action, start.fields);
  const location = new URL(/url=(.*)$/.exec(there.headers.get("refresh")!)![1]!);
  const confirmation = await guest.open(sentBack(own, location));
  await guest.submit(confirmation, { username: "\u0007" });
  await guest.submit(confirmation);
  await guest.submit(confirmation);
};

const device: Walk = async (reader) => {
  const client = await newClient({ grant_types: [DEVICE_GRANT, "authorization_code"], first_party: true });
  const { visitor } = await personAt(reader(), client);
  const typing = await visitor.open("/device");
  await visitor.submit(typing, { user_code: "BBBB-BBBB" });
  for (const decision of ["allow", "deny"]) {
    const { userCode } = await beginDevice(client);
    const question = await visitor.submit(await visitor.open("/device"), { user_code: userCode });
    await visitor.submit(question, { decision });
    await visitor.submit(question, { decision });
  }
};

let provider: ForgedProvider;
beforeAll(async () => {
  provider = await startForgedProvider();
});
afterAll(() => provider?.[Symbol.asyncDispose]());

const providers: Walk = async (reader) => {
  const down = await startForgedProvider();
  await down[Symbol.asyncDispose]();
  const tenant = await newUpstreamTenant({ Issuer: provider.issuer, Provisioning: "LinkOnly" });
  const visitor = reader();
  const location = await toProvider(visitor, await visitor.open(tenant.client.authorize()));
  const link = await visitor.open(sentBack(provider, location));
  await visitor.submit(link, { username: "admin", password: "wrong" });
  await visitor.open(sentBack(provider, location));
  const person = await personAt(reader(), tenant.client);
  const linking = await person.visitor.open(sentBack(provider, await startLinking(person.visitor, tenant)));
  await person.visitor.submit(linking, { password: "wrong" });
  await person.visitor.submit(linking, { password: passwordOf(tenant.client) });
  await addProvider(tenant.caller, { Name: "Nowhere", Issuer: down.issuer });
  const page = await reader().open(tenant.client.authorize());
  const [, href] = /href="([^"]*)"[^>]*>[^<]*Nowhere/.exec(page.html)!;
  await visitor.open(href!.replaceAll("&amp;", "&"));
  await person.account();
};

const WALKS = { signIn, signUp, account, passkeys, links, device, providers };

type Group = { readonly [key: string]: string | Group };
const all = (group: Group): string[] =>
  Object.values(group).flatMap((one) => (typeof one === "string" ? one : all(one)));
const textsOf = (code: texts.LanguageCode) => all(texts.languageOf(code).t as unknown as Group);

/** The text and the labels of a page, in its own language only. */
function wordsOf({ html }: View): string[] {
  const words: string[] = [];
  let foreign = 0;
  let current = "";
  new HTMLRewriter()
    .on("[lang]:not(html, input)", {
      element(element) {
        foreign++;
        element.onEndTag(() => {
          foreign--;
        });
      },
    })
    .on("[aria-label]", {
      element: (element) => {
        words.push(element.getAttribute("aria-label")!);
      },
    })
    .on("title, body, body *", {
      text({ text, lastInTextNode }) {
        if (foreign > 0) return;
        current += text;
        if (!lastInTextNode) return;
        words.push(current);
        current = "";
      },
    })
    .transform(html);
  return words.map((word) => word.replaceAll(/\s+/g, " ").trim()).filter(Boolean);
}

/** Sentences between variables, and single words. */
function englishFor(code: texts.LanguageCode): { phrases: string[]; words: Set<string> } {
  const own = new Set(textsOf(code));
  const foreign = textsOf("en").filter((text) => !own.has(text));
  const phrases = foreign.flatMap((text) => text.split(/\{\w+\}/)).map((part) => part.trim());
  return { phrases: phrases.filter((part) => / \w+ /.test(part)), words: new Set(foreign) };
}

/** Three words of Latin letters in an Arabic page are a sentence that is not in the catalogue. */
const LATIN = /[A-Za-z]{2,} [A-Za-z]{2,} [A-Za-z]{2,}/;
/** The key of an authenticator app. */
const NAMES = /^[A-Z2-7 ]+$/;

const windows = openWindows();

describe.each(texts.LANGUAGE_CODES)("the pages in %s", (code) => {
  test("have no English left, their language and direction, and fit a phone and a desktop", async () => {
    const pages = new Map<string, View>();
    const reader = () => new Reader(code, pages);
    await Promise.all(Object.values(WALKS).map((walk) => walk(reader)));
    expect(pages.size).toBeGreaterThan(60);
    const { phrases, words } = englishFor(code);
    for (const view of pages.values()) {
      const name = nameOf(view);
      const direction = code === "ar" ? ' dir="rtl"' : "";
      expect({ name, html: /<html[^>]*>/.exec(view.html)![0] }).toEqual({
        name,
        html: `<html lang="${code}"${direction}>`,
      });
      if (code === "en") continue;
      const found = wordsOf(view).filter(
        (text) =>
          words.has(text) ||
          phrases.some((phrase) => text.includes(phrase)) ||
          (code === "ar" && LATIN.test(text) && !NAMES.test(text)),
      );
      expect({ name, english: found }).toEqual({ name, english: [] });
    }
    const page = await windows.newPage();
    const shapes = new Map([...pages.values()].map((view) => [nameOf(view), view]));
    for (const [name, view] of shapes) await lookAt(page, `${code} ${name}`, view);
  });
});

const nameOf = ({ heading, status, html }: View) =>
  `${heading} ${status}${html.includes('id="problem"') ? " problem" : ""}`;

/** Shows a page that has been sent before, with its styles. */
async function lookAt(page: Page, name: string, { html }: View): Promise<void> {
  const address = `${issuer()}/shown`;
  await page.route(address, (route) => route.fulfill({ body: html, contentType: "text/html; charset=utf-8" }));
  await page.goto(address);
  await inspect(page, name.replaceAll(/[^\p{L}\p{N} -]/gu, ""));
  await page.unroute(address);
}
