// The ways in by mail, in a real browser: a forgotten password, an invitation, a sign-up.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { ok } from "../world/api.ts";
import type { Client } from "../world/client.ts";
import { arrived, newAddress } from "../world/mailbox.ts";
import { newApplication } from "../world/person.ts";
import { clientOf, shared } from "../world/tenant.ts";

const browser = openWindows();

const GOOD = "correct horse battery staple";
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name, level: 1 }).waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const problem = (page: Page, text: RegExp | string) => page.getByRole("alert").getByText(text).waitFor();
/** At the test's origin, which is a different name of the same host. */
const here = (link: string) => shared().url + link.slice(new URL(link).origin.length);
const newPage = async () => (await browser.newContext()).newPage();

async function atSignIn(page: Page, client: Client): Promise<void> {
  await page.goto(shared().url + client.authorize());
  await heading(page, "Sign in");
}

async function signIn(page: Page, username: string): Promise<void> {
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password").fill(GOOD);
  await press(page, "Sign in");
  await heading(page, "Your account");
}

test("a person who forgot the password sets a new one by a link", async () => {
  const client = await newApplication();
  const admin = await clientOf(client.tenant);
  const address = newAddress();
  const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
  await ok(admin.patch("/User", { Id: user.Id, Email: address, EmailVerified: true }));
  const page = await newPage();
  await atSignIn(page, client);
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await heading(page, "Forgot your password?");
  await inspect(page, "forgotten");
  await page.getByLabel("User name or mail address").fill(address);
  await page.keyboard.press("Enter");
  await heading(page, "Look into your mail");
  await inspect(page, "forgotten-sent");
  const [{ link }] = await arrived(address);
  await page.goto(here(link));
  await heading(page, "Choose a password");
  await inspect(page, "reset");
  await page.getByLabel("New password").fill("password1");
  await page.keyboard.press("Enter");
  await problem(page, /could be guessed/);
  await inspect(page, "reset-refused");
  await page.getByLabel("New password").fill(GOOD);
  await page.keyboard.press("Enter");
  await heading(page, "Your password is set");
  await page.goto(here(link));
  await page.getByText(/was already used|expired/).waitFor();
  await page.goto(`${shared().url}/account?organisation=${client.tenant.tenantId}`);
  await signIn(page, "admin");
});

test("an invited person makes an account", async () => {
  const client = await newApplication();
  const admin = await clientOf(client.tenant);
  const address = newAddress("a-long-name-of-a-guest");
  await ok(admin.patch("/Invitation", { Email: address, Name: "Ana Silva" }));
  const page = await newPage();
  const [{ link }] = await arrived(address);
  await page.goto(here(link));
  await heading(page, "Make your account");
  await inspect(page, "invitation");
  expect(await page.getByLabel("Full name").inputValue()).toBe("Ana Silva");
  await page.getByLabel("User name").fill("ana");
  await page.getByLabel("Password").fill("ana");
  await press(page, "Make the account");
  await problem(page, /at least 8 characters/);
  expect(await page.getByLabel("User name").inputValue()).toBe("ana");
  await page.getByLabel("Password").fill(GOOD);
  await press(page, "Make the account");
  await heading(page, /^Welcome to/);
  await inspect(page, "invitation-accepted");
  await page.getByRole("link", { name: "Sign in" }).click();
  await signIn(page, "ana");
});

test("a person signs up, agrees to the terms, and stays signed in", async () => {
  const client = await newApplication();
  const admin = await clientOf(client.tenant);
  const address = newAddress("a-long-name-of-a-person");
  await ok(
    admin.patch("/TenantSettings", {
      ...{ SignUp: "Domains", SignUpDomains: ["mail.test"], KeepSignedIn: "Asked" },
      ConsentText: `I accept the terms of Acme, ${"which are long and which nobody has ever read to their end, ".repeat(5)}and so on.`,
      TermsUri: "https://acme.example/terms",
      PrivacyUri: "https://acme.example/privacy",
    }),
  );
  const page = await newPage();
  await atSignIn(page, client);
  await inspect(page, "sign-in-with-all");
  await page.getByRole("link", { name: "Make an account" }).click();
  await heading(page, "Make an account");
  await inspect(page, "sign-up");
  expect(await page.getByLabel("Leave this field empty").isVisible()).toBe(false);
  await page.getByLabel("Mail address").fill(address);
  await page.keyboard.press("Enter");
  await heading(page, "Look into your mail");
  await inspect(page, "sign-up-sent");
  const [{ link }] = await arrived(address);
  await page.goto(here(link));
  await heading(page, "Make your account");
  await inspect(page, "sign-up-link");
  await page.getByLabel("Full name").fill("Ana Silva");
  await page.getByLabel("Password").fill("short");
  await page.getByLabel(/I accept/).check();
  await press(page, "Make the account");
  await problem(page, /at least 8 characters/);
  await inspect(page, "sign-up-refused");
  expect(await page.getByLabel(/I accept/).isChecked()).toBe(true);
  await page.getByLabel("Password").fill(GOOD);
  await press(page, "Make the account");
  await heading(page, /^Welcome to/);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("User name").fill(address);
  await page.getByLabel("Password").fill(GOOD);
  await press(page, "Sign in");
  await heading(page, "Stay signed in?");
  await inspect(page, "keep");
  await press(page, "Yes");
  await heading(page, "Your account");
});
