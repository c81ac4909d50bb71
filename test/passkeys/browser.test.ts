// Passkeys in a real browser with a virtual authenticator (WebDriver, WebAuthn Level 3, 11).

import { expect, test } from "bun:test";
import type { CDPSession, Page } from "playwright-core";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import type { Client } from "../world/client.ts";
import { newApplication, requireSecondFactor } from "../world/person.ts";
import { shared } from "../world/tenant.ts";

const browser = openWindows();

const OPTIONS = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

/** A page with an authenticator that answers at once. */
async function newPage(): Promise<{ page: Page; cdp: CDPSession; authenticatorId: string }> {
  const page = await (await browser.newContext()).newPage();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options: OPTIONS });
  return { page, cdp, authenticatorId };
}

const account = ({ id }: Client) => `${shared().url}/account?client_id=${id}`;
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function signInByPassword(page: Page, client: Client): Promise<void> {
  const { username, password } = client.tenant.admin;
  await page.goto(account(client));
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password").fill(password);
  await button(page, "Sign in").click();
}

async function addPasskey(page: Page, client: Client): Promise<void> {
  await signInByPassword(page, client);
  await heading(page, "Your account");
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByLabel("Your password").fill(client.tenant.admin.password);
  await button(page, "Continue").click();
  await inspect(page, "passkey-new");
  await button(page, "Create a passkey").click();
  await page.getByRole("status").getByText("Your passkey is added.").waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Sign out" }).click();
  await button(page, "Sign out").click();
  await heading(page, "Signed out");
}

test("a person adds a passkey, and signs in with it, without and beside the password", async () => {
  const client = await newApplication();
  const { page, cdp, authenticatorId } = await newPage();
  // The browser's offer in the user name's field would be taken at once.
  const answering = (enabled: boolean) =>
    cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
  await addPasskey(page, client);
  await inspect(page, "account-with-passkey");
  expect(await page.getByText("only on this device").count()).toBe(1);
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByLabel("Your password").fill(client.tenant.admin.password);
  await button(page, "Continue").click();
  await button(page, "Create a passkey").click();
  await page.getByRole("alert").getByText("This device already has a passkey").waitFor();
  await page.getByRole("link", { name: "Back to your account" }).click();

  await answering(false);
  await signOut(page);
  await page.goto(account(client));
  await heading(page, "Sign in");
  await inspect(page, "sign-in-with-passkey");
  await answering(true);
  await button(page, "Use a passkey").click();
  await heading(page, "Your account");

  await requireSecondFactor(client);
  await answering(false);
  await signOut(page);
  await signInByPassword(page, client);
  await heading(page, "Use your passkey");
  await inspect(page, "second-factor-by-passkey");
  await answering(true);
  await button(page, "Use a passkey").click();
  await heading(page, "Your account");

  const dialog = page.getByRole("dialog");
  await button(page, "Remove")
    .or(page.getByText("Remove", { exact: true }))
    .first()
    .click();
  await dialog.getByRole("button", { name: "Remove the passkey" }).click();
  await page.getByRole("status").getByText("The passkey is removed.").waitFor();
});

test("Settings ask for the passkey once a second factor is required, and continue at the same page", async () => {
  const client = await newApplication();
  const { page, cdp, authenticatorId } = await newPage();
  await addPasskey(page, client);
  await page.goto(`${shared().url}/settings/users?organisation=${client.tenant.tenantId}`);
  await heading(page, "Users");
  await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: false });
  await requireSecondFactor(client);
  await page.goto(`${shared().url}/settings/users?Search=admin`);
  await heading(page, "Use your passkey");
  await inspect(page, "settings-step-up-by-passkey");
  await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: true });
  await button(page, "Use a passkey").click();
  await heading(page, "Users");
  expect(new URL(page.url()).search).toBe("?Search=admin");
});

test("the browser offers the passkey in the user name's field", async () => {
  const client = await newApplication();
  const { page } = await newPage();
  await addPasskey(page, client);
  await signOut(page);
  await page.goto(account(client));
  await heading(page, "Your account");
});

test("a cancelled passkey is reported, and the password still works", async () => {
  const client = await newApplication();
  const page = await (await browser.newContext()).newPage();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", { options: OPTIONS });
  await page.goto(account(client));
  await button(page, "Use a passkey").click();
  await page.getByRole("alert").getByText("No passkey was used").waitFor();
  await signInByPassword(page, client);
  await heading(page, "Your account");
});
