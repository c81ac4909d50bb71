// `bun run start` without a mail server: its mails stay in Settings, with their links.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { startStack } from "../support/stack.ts";
import { ok, until } from "../world/api.ts";
import { newAddress } from "../world/mailbox.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

test("a mail is shown in Settings and noted in the log, and waits", async () => {
  await using stack = await startStack({ env: { SMTP_URL: "", MAIL_FROM: "" } });
  const api = await newTenant(stack);
  const address = newAddress();
  const { Id } = await ok(api.call("POST", "/Mail", { To: address }));
  await until("its line in the log", () => readFileSync(stack.logFile, "utf8").includes(address));
  const visitor = new Visitor(stack.publicUrl);
  await visitor.submit(await visitor.open(`/settings?organisation=${api.tenantId}`), api.tenant.admin);
  const list = await visitor.open("/settings/mail");
  expect(list.html).toContain("This installation has no mail server, so mails stay here");
  const { html } = await visitor.open(`/settings/mail/${Id}`);
  expect(html).toContain("Test mail of");
  expect(html).toContain("The mail server has accepted it.");
  expect(await ok(api.get(`/Mail/${Id}`))).toMatchObject({ State: "Waiting", Attempts: [] });
});
