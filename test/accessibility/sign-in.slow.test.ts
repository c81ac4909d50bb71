// Checks every page outside Settings that a person can reach, as listed by the routes: axe finds no problem, and the
// page fits.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { openWindows } from "../support/browser.ts";
import { composedApp } from "../support/composed-app.ts";
import { inspect } from "../support/inspect.ts";
import { type Api, ok } from "../world/api.ts";
import { type Client, issuer, newClient } from "../world/client.ts";
import { beginDevice } from "../world/device.ts";
import { startForgedProvider } from "../world/forged-provider.ts";
import { Authenticator } from "../world/person.ts";
import { addProvider, newPerson, newRealTenant, type RealProvider, startRealProvider } from "../world/provider.ts";

/** Not pages: keys and images. */
const FILES = /\/(jwks|logo\/:client_id)$/;
const PAGES = /^\/(account|signin|signout|consent|device|oauth2\/(authorize|logout)|settings\/sign(ed)?-)/;
const paths = [...new Set(composedApp().routes.map(({ path }) => path))].filter(
  (path) => PAGES.test(path) && !FILES.test(path),
);

const windows = openWindows();
/** A provider whose name is long. */
const LONG_NAME = "A directory with a long name, of the northern region";
let real: RealProvider;
let client: Client;
let caller: Api;
beforeAll(async () => {
  real = await startRealProvider();
  ({ client, caller } = await newRealTenant(real));
  await addProvider(caller, { Name: LONG_NAME, Issuer: await issuerThatIsDown() });
});
afterAll(() => real?.[Symbol.asyncDispose]());

async function issuerThatIsDown(): Promise<string> {
  const down = await startForgedProvider();
  await down[Symbol.asyncDispose]();
  return down.issuer;
}

const newPage = async () => (await windows.newContext({ ignoreHTTPSErrors: true })).newPage();

async function signIn(page: Page, { tenant: { admin } }: Client, password = admin.password): Promise<void> {
  await page.getByLabel("User name").fill(admin.username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
const refused = (page: Page) => page.getByRole("alert").waitFor();
const inspected = new Set<string>();

/** The same path may show several pages. */
async function look(page: Page): Promise<void> {
  const title = (await page.locator("h1").textContent())!;
  inspected.add(title);
  await inspect(page, title);
}

test("the pages from sign-in to the account are accessible and fit a phone and a desktop", async () => {
  const page = await newPage();
  await page.goto(`${issuer()}/account`);
  await look(page);
  await page.goto(issuer() + client.authorize());
  await signIn(page, client, "a slip");
  await refused(page);
  await look(page);
  await page.goto(`${issuer()}/account?client_id=${client.id}`);
  await signIn(page, client);
  for (const prompt of ["consent", "select_account"]) {
    await page.goto(issuer() + client.authorize({ prompt }));
    await look(page);
  }
  for (const path of ["/oauth2/logout", "/account/password", "/account/second-factor"]) {
    await page.goto(issuer() + path);
    await look(page);
  }
  await page.getByText("Enter a key instead").click();
  const app = new Authenticator((await page.locator("code.key").textContent())!.replaceAll(/\s/g, ""));
  await page.getByLabel("Code", { exact: true }).fill(app.code());
  await page.getByLabel("Your password").fill(client.tenant.admin.password);
  await page.getByRole("button", { name: "Confirm" }).click();
  await heading(page, "Keep your recovery codes");
  await look(page);
  await page.goto(`${issuer()}/account/second-factor/remove`);
  await look(page);

  const other = await newPage();
  await other.goto(`${issuer()}/account?client_id=${client.id}`);
  await signIn(other, client);
  await other.getByLabel("Code").fill(app.wrongCode());
  await other.keyboard.press("Enter");
  await refused(other);
  await look(other);
  await other.getByLabel("Code").fill(app.code(1));
  await other.keyboard.press("Enter");
  await heading(other, "Your account");
  await lookAtTheRest(other);
  const [user] = (await ok(caller.get("/User?Username=admin"))).Items;
  const { Url } = (await caller.send("POST", `/User/${user.Id}/PasswordReset`)).body;
  await other.goto(Url);
  await look(other);
});

/** Opens every path, and checks new pages. */
async function lookAtTheRest(page: Page): Promise<void> {
  expect(paths.length).toBeGreaterThan(25);
  const ends = (path: string) => Number(/sign-?out|logout|signed/.test(path));
  for (const path of paths.toSorted((a, b) => ends(a) - ends(b))) {
    const answer = await page.goto(issuer() + path.replace(":id", Bun.randomUUIDv7()));
    expect({ path, isFound: answer!.status() < 500 && answer!.status() !== 405 }).toEqual({ path, isFound: true });
    if (!inspected.has((await page.locator("h1").textContent())!)) await look(page);
  }
}

test("the pages of a sign-in by a provider are accessible and fit a phone and a desktop", async () => {
  const { client, caller } = await newRealTenant(real);
  await addProvider(caller, { Name: LONG_NAME, Issuer: await issuerThatIsDown() });
  const page = await newPage();
  await page.goto(issuer() + client.authorize());
  await look(page);
  await page.getByRole("link", { name: LONG_NAME }).click();
  await heading(page, "Sign-in did not work");
  await look(page);
  await page.getByRole("link", { name: "Sign in another way" }).click();
  await page.getByRole("link", { name: "Sign in with Example ID" }).click();
  await page.locator("input[name=login]").fill(newPerson(real, { preferred_username: "admin" }).login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
  await heading(page, "Link your account");
  await look(page);
  await page.goto(`${issuer()}/account?client_id=${client.id}`);
  await signIn(page, client);
  await page.getByRole("button", { name: "Link Example ID" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("Your password").fill("a slip");
  await page.getByRole("button", { name: "Link" }).click();
  await refused(page);
  await look(page);
  await page.getByLabel("Your password").fill(client.tenant.admin.password);
  await page.getByRole("button", { name: "Link" }).click();
  await page.getByRole("status").waitFor();
  await look(page);
});

test("the pages of a device are accessible and fit a phone and a desktop", async () => {
  const client = await newClient({ grant_types: [DEVICE_GRANT] });
  const device = await beginDevice(client, { scope: "openid profile email" });
  const page = await newPage();
  await page.goto(`${issuer()}/device?user_code=${device.userCode}`);
  await look(page);
  await page.getByLabel("Code").fill("BBBB-CCCC");
  await page.getByRole("button", { name: "Continue" }).click();
  await refused(page);
  await look(page);
  await page.getByLabel("Code").fill(device.userCode);
  await page.getByRole("button", { name: "Continue" }).click();
  await signIn(page, client);
  await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
  await look(page);
  await page.getByRole("button", { name: "Deny" }).click();
  await heading(page, "The device is not signed in");
  await look(page);
});
