// The page of an event in Settings: visible data and permitted actions.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { signPayload } from "../../server/webhooks/signature.ts";
import { openWindows } from "../support/browser.ts";
import { until } from "../world/api.ts";
import { enterSettings, newColleague } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant, setting } from "../world/tenant.ts";

const browser = openWindows();

test("an event in delivery cannot be redelivered, and the page says so", async () => {
  const api = await newTenant();
  await using receiver = startReceiver(({ count }) => (count === 1 ? 200 : "hang"));
  await api.connect(receiver.url, { TimeoutMs: 30_000 });
  const { EventId } = await api.settledChange({ Name: "Front door" });
  const { page, open } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  await page.getByRole("button", { name: "Redeliver" }).waitFor();
  await api.redeliver(EventId);
  await page.getByRole("button", { name: "Redeliver" }).click();
  await page.getByRole("alert").getByText("The event is being delivered.").waitFor();
  await page.getByText("The 2nd attempt is in progress").waitFor();
  // It is not on the previous run's axis.
  await page.getByText("Run 2, sent again").waitFor();
  await page.getByText("Its first attempt is in progress.").waitFor();
});

test("a delivery of a held connection offers to resume the connection instead of a redelivery", async () => {
  const api = await newTenant();
  await using receiver = startReceiver([410, 200]);
  const { Id } = await api.connect(receiver.url);
  const { EventId } = await api.settledChange({ Name: "Front door" });
  await until("the connection to be held", async () => (await api.connection(Id)).State === "Held");
  const { page, open } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  await page.getByText("Its connection is Held: resume it to send this again.").waitFor();
  expect(await page.getByRole("button", { name: "Redeliver" }).count()).toBe(0);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("status").getByText("The connection is active.").waitFor();
  expect((await api.connection(Id)).State).toBe("Active");
});

test("a redelivery to some connections is not described as one to all", async () => {
  const api = await newTenant();
  await using gone = startReceiver(410);
  await using receiver = startReceiver();
  const { Id } = await api.connect(gone.url);
  await api.connect(receiver.url);
  const { EventId } = await api.settledChange({ Name: "Front door" });
  await until("the connection to be held", async () => (await api.connection(Id)).State === "Held");
  const { page, open } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  await page.getByRole("button", { name: "Redeliver to all" }).click();
  await page.getByRole("status").getByText("except to deleted and Held connections").waitFor();
  await until("the other one's second call", () => receiver.calls.length === 2);
  expect(gone.calls).toHaveLength(1);

  await open(`/settings/webhooks/${Id}/redeliver`);
  await page.getByLabel(/^Events from/).fill("2026-01-01T00:00");
  await page.getByRole("button", { name: "Count them" }).click();
  await page.getByRole("button", { name: "Send them again" }).click();
  await page.getByRole("status").getByText("The redelivery is created and waiting.").waitFor();
  await page.getByText("It waits for its connection, which is Held.").waitFor();
});

test("connections that did not get an event are listed with the reason; earlier deleted ones are not", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { Name: "Long gone" });
  await api.disconnect(Id);
  await api.connect("https://localhost:9443/", { Name: "Of people", Entities: ["User"] });
  const { EventId } = await api.settledChange({ Name: "Front door" });
  const { page, open } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  await page.getByRole("row").filter({ hasText: "Of people" }).getByText("not subscribed to Application").waitFor();
  expect(await page.getByText("Long gone").count()).toBe(0);
});

test("hostile texts in a payload, a response and a name are shown as text", async () => {
  const hostile = `</pre></script><script>alert(1)</script><img src=x onerror=alert(2)> &lt;b&gt; "'`;
  const turned = "abc\u202egpj.exe";
  const api = await newTenant();
  await using receiver = startReceiver(() => new Response(`${hostile}${turned}\u0007`, { status: 400 }));
  await api.connect(receiver.url, { Name: hostile });
  const { EventId } = await api.settledChange({ Name: hostile, Description: turned, ExternalId: "x".repeat(200) });
  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  const payload = await page.getByRole("group", { name: "Payload" }).textContent();
  expect(payload).toContain(JSON.stringify(hostile));
  expect(payload).toContain("abc\\u202egpj.exe");
  const answer = await page.getByRole("group", { name: "Response of attempt 3" }).textContent();
  expect(answer).toContain(`${hostile}abc\\u202egpj.exe\\u0007`);
  expect(await page.getByRole("heading", { name: hostile, level: 2 }).count()).toBe(1);
  expect(await page.locator("main script, main img").count()).toBe(0);
  expect(complaints).toEqual([]);

  const file = await page.evaluate(
    async (path) => (await fetch(path)).text(),
    `/settings/activity/${EventId}/payload.json`,
  );
  expect(file).toBe(receiver.callsFor(EventId)[0]!.bytes.toString("utf8"));
});

test("an auditor reads all of it, sees no redelivery button, and may not redeliver", async () => {
  const api = await newTenant();
  await using receiver = startReceiver(500);
  await api.connect(receiver.url, { Name: "Directory" });
  const { EventId } = await api.settledChange({ Name: "Front door" });
  const { page, open } = await enterSettings(browser, api.tenant, await newColleague(api, "auditor"));
  await open(`/settings/activity/${EventId}`);
  await page.getByText("Exhausted: 3 attempts, last 500.").waitFor();
  expect(await page.getByRole("button", { name: /Redeliver/ }).count()).toBe(0);
  const csrf = await page.locator("form input[name=csrf]").first().inputValue();
  const answer = await page.request.post(page.url(), { form: { csrf } });
  expect(answer.status()).toBe(403);
  expect(await answer.text()).toContain("Webhooks:Update");
  expect(receiver.callsFor(EventId)).toHaveLength(3);
});

test("an attempt shows its request, and says so if the connection has changed since", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  const Headers = { "X-Tenant": "north" };
  const { Id } = await api.connect(receiver.url, { Name: "Directory", Secret: "a secret of mine", Headers });
  const { EventId } = await api.settledChange({ Name: "Front door" });
  const [call] = receiver.callsFor(EventId);
  const { page, open } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  const [first = "", ...lines] = (await page.getByLabel("Request of attempt 1").textContent())!.trim().split("\n");
  expect(first).toBe(`POST https://${call!.url.host}${call!.url.pathname}?ApiKey=•••`);
  const shown = Object.fromEntries(lines.map((line) => line.split(": ")));
  const sent = [...call!.headers].filter(([name]) => /^(content-type|x-|webhook-)/.test(name));
  expect(
    Object.keys(shown)
      .map((name) => name.toLowerCase())
      .toSorted(),
  ).toEqual(sent.map(([name]) => name).toSorted());
  for (const [name, value] of Object.entries(shown)) {
    if (value !== "•••") expect([name, value]).toEqual([name, call!.headers.get(name)]);
  }
  expect(await page.locator("details.attempt").textContent()).toContain("As it was sent.");
  // Its id stays the same.
  await api.setState(Id, "Paused");
  await api.setState(Id, "Active");
  await api.call("PATCH", "/WebhookConnection", { ...(await api.connection(Id)), Description: "Of people" });
  await open(`/settings/activity/${EventId}`);
  expect(await page.locator("details.attempt").textContent()).toContain("As it was sent.");
  await api.call("PATCH", "/WebhookConnection", { Id, Headers: {} });
  await open(`/settings/activity/${EventId}`);
  expect(await page.locator("details.attempt").textContent()).toContain("As the connection is now: it changed on");
});

test("another organisation's event is not found", async () => {
  const [api, stranger] = [await newTenant(), await newTenant()];
  const { Id } = await api.change({ Name: "Front door" });
  const { EventId } = await api.newestEvent();
  await stranger.change({ Name: "Back door" });
  const { page, open } = await enterSettings(browser, stranger.tenant);
  for (const path of [EventId, `${EventId}/payload.json`, "nonsense"]) {
    await open(`/settings/activity/${path}`);
    await page.getByText("There is no WebhookEvent with this EventId.").waitFor();
  }
  await open("/settings/activity");
  await page.getByRole("row").filter({ hasText: "Application" }).first().waitFor();
  expect(
    await page
      .getByRole("row")
      .filter({ hasText: `Application ${Id}` })
      .count(),
  ).toBe(0);
});

test("many deliveries are shown in pages, failed ones first", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  await using gone = startReceiver(500);
  for (let number = 1; number <= 21; number++) await api.connect(receiver.url, { Name: `Receiver ${number}` });
  await api.connect(gone.url, { Name: "Broken" });
  const { EventId } = await api.settledChange({ Name: "Front door" });
  const { page, open } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  const headings = page.getByRole("heading", { level: 2 }).filter({ hasText: /Receiver|Broken/ });
  expect(await headings.first().textContent()).toBe("Broken");
  expect(await headings.count()).toBe(20);
  await page.getByRole("link", { name: "Next page" }).click();
  await page.getByRole("link", { name: "Back to the first" }).waitFor();
  expect(await headings.count()).toBe(2);
  await page.getByRole("link", { name: "1 exhausted" }).click();
  await page.getByText("Exhausted: 3 attempts, last 500.").waitFor();
  expect(await headings.count()).toBe(1);
});

test(`"copy as curl" is the same call, signed again`, async () => {
  const secret = `whsec_${Buffer.from("thirty-two bytes of a real secret").toString("base64")}`;
  const api = await newTenant();
  await using receiver = startReceiver();
  const headers = { Authorization: "Bearer of the gate" };
  const { ApiKey } = await api.connect(receiver.url, { Secret: secret, Headers: headers });
  const { EventId } = await api.settledChange({
    Name: `It's a "door" for $HOME & \`all\` \\ 100 %`,
    Description: "Tür",
  });
  const { page, open } = await enterSettings(browser, api.tenant, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await open(`/settings/activity/${EventId}`);
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const command = await page.evaluate("navigator.clipboard.readText()");

  const unset = await shell(command as string, {});
  expect(unset.code).not.toBe(0);
  expect(unset.said).toContain("SECRET: set it first");
  const done = await shell(command as string, {
    SECRET: secret,
    API_KEY: ApiKey,
    HEADER_AUTHORIZATION: headers.Authorization,
    CURL_CA_BUNDLE: join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver/cert.pem"),
  });
  expect(done).toMatchObject({ code: 0, said: expect.stringContaining("200") });
  const [sent, again] = receiver.callsFor(EventId);
  expect(again!.bytes.equals(sent!.bytes)).toBe(true);
  expect(again!.url.href).toBe(sent!.url.href);
  for (const name of ["content-type", "authorization", "webhook-id", "x-signature"]) {
    expect([name, again!.headers.get(name)]).toEqual([name, sent!.headers.get(name)]);
  }
  expect(again!.headers.get("x-signature")).toBe(signPayload(again!.bytes.toString("utf8"), secret));
  new Webhook(secret).verify(again!.bytes.toString("utf8"), Object.fromEntries(again!.headers));
});

async function shell(command: string, env: Record<string, string>): Promise<{ code: number; said: string }> {
  const { PATH } = process.env;
  const run = Bun.spawn(["sh", "-c", command], { env: { PATH, ...env }, stdout: "pipe", stderr: "pipe" });
  const said = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  return { code: await run.exited, said: said.join("") };
}

test("an event of the audit log is titled by its kind, not by its Id", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  await api.connect(receiver.url, { Entities: ["AuditEvent"], Events: ["Created"] });
  await api.patch("/Role", { Name: "Editors" });
  const { Items } = (await api.get("/AuditEvent?Kind=Role.Created")).body;
  const { EventId } = await until("its event", async () => (await api.events(`RecordId=${Items[0].Id}`)).Items[0]);
  const { page, open } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  await page.getByRole("heading", { name: "AuditEvent Role.Created Created", level: 1 }).waitFor();
  await open("/settings/activity?EventRecord=AuditEvent");
  await page.getByRole("link", { name: "AuditEvent Role.Created Created" }).waitFor();
});
