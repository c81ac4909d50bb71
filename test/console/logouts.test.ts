// Back-channel logouts on an application's page in Settings.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings } from "../world/console.ts";
import { logoutClient, signIn, signOut } from "../world/logouts.ts";
import { startReceiver } from "../world/receiver.ts";

const browser = openWindows();

test("a logout is resent by keyboard, and its result appears by itself", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await using receiver = startReceiver(() =>
    receiver.calls.length <= 3 ? new Response(null, { status: 500 }) : answered.then(() => new Response()),
  );
  const { api, client } = await logoutClient(receiver.url);
  const session = await signIn(client);
  await signOut(session.visitor, session.idToken);
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open(`/settings/applications/${client.id}`);
  await page.getByRole("link", { name: "Logouts", exact: true }).click();
  const logouts = page.locator("#logouts");
  const again = logouts.getByRole("button", { name: "Send again" });
  await again.waitFor();
  await logouts.getByText("500, 500, 500").waitFor();
  await inspect(page, "application-logouts");

  await again.focus();
  await page.keyboard.press("Enter");
  await page.getByText("The logout is being sent again.").waitFor();
  await logouts.getByText(/Pending|Retrying/).waitFor();
  expect(await again.count()).toBe(0);
  answer();
  // On a slow machine, attempts may have timed out.
  await logouts.getByText(/^500, 500, 500, (timeout, )*200$/).waitFor();
  await again.waitFor();
  expect(complaints).toEqual([]);
});
