// Mails in Settings: a test, a refused address, previews, and the organisation's name.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { arrived, newAddress } from "../world/mailbox.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

test("an administrator names the organisation, sends a test mail, and sees why one was refused", async () => {
  const api = await newTenant();
  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  await open("/settings/branding");
  await page.getByLabel("Name (optional)", { exact: true }).fill("Acme Ltd");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();

  await open("/settings/mail");
  await page.getByText("No mails yet").waitFor();
  await page.getByText("Mails are sent from noreply@gatehouse.test").waitFor();
  const send = async (address: string) => {
    await page.getByRole("link", { name: "Send a test mail" }).click();
    await page.getByRole("textbox", { name: "Address" }).last().fill(address);
    await page.getByRole("button", { name: "Send", exact: true }).click();
  };
  const address = newAddress();
  await send(address);
  await page.locator("dl").getByText("Sent", { exact: true }).waitFor();
  await page.getByText("250 2.0.0 Queued").waitFor();
  await inspect(page, "mail-sent");
  const [mail] = await arrived(address);
  expect(mail.from?.value[0]?.name).toBe("Acme Ltd");

  await open("/settings/mail");
  const wrong = newAddress("bounce");
  await send(wrong);
  await page.locator("dl").getByText("Bounced", { exact: true }).waitFor();
  await page.getByText("550 5.1.1 No such user here").waitFor();
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByText("The mail is being sent again.").waitFor();

  await open("/settings/mail?State=Bounced");
  await page.getByRole("row").filter({ hasText: wrong }).waitFor();
  expect(await page.getByRole("row").filter({ hasText: address }).count()).toBe(0);
  await open("/settings/mail");
  await inspect(page, "mails");

  const { body } = await api.call<{ Id: number }>("POST", "/User", { Name: "Ana", Username: "ana", Email: wrong });
  await open(`/settings/users/${body.Id}`);
  await page.getByText("Mail to this address is refused").waitFor();

  await open("/settings/mail/preview");
  await page.getByText("Your invitation to Acme Ltd").waitFor();
  await inspect(page, "mail-preview");
  expect(complaints).toEqual([]);

  await using auditor = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  await auditor.open("/settings/mail");
  await auditor.page.getByRole("row").filter({ hasText: wrong }).waitFor();
  expect(await auditor.page.getByRole("link", { name: "Send a test mail" }).count()).toBe(0);
});
