// The activity log in Settings, as those use it who are called at night.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { signPayload } from "../../server/webhooks/signature.ts";
import { launchBrowser } from "../support/browser.ts";
import { startReceiver } from "../support/receiver.ts";
import { newTenant, setting } from "../support/tenant.ts";
import { enterSettings, newColleague } from "./console.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 60_000);
afterAll(() => browser?.close());

const REFRESH_MS = 5_000;

const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("ops finds why a receiver missed an event and redelivers it", async () => {
    const api = await newTenant();
    const away = () => new Response("Maintenance until four", { status: 503, headers: { "x-node": "b7" } });
    await using receiver = startReceiver(({ count }) => (count <= 3 ? away() : 200));
    const { ApiKey } = await api.connect(receiver.url, { Name: "Directory", Secret: "between us" });
    await api.connect("https://localhost:9443/", { Name: "Archive", Events: ["Deleted"] });
    const { Id } = await api.change({ Name: "Front door" });
    await api.settledEvent();
    await api.change({ Id, Description: "wide" });
    const { EventId } = await api.newestEvent();

    const ops = await newColleague(api, "ops");
    const { page, complaints } = await enterSettings(browser, api.tenant, { javaScriptEnabled, ...ops });
    await api.settled(EventId);
    await page.getByRole("link", { name: "Activity", exact: true }).click();
    await page.getByLabel("State").selectOption("Exhausted");
    await page.getByLabel("Event", { exact: true }).selectOption("Updated");
    await page.getByRole("button", { name: "Filter" }).click();
    await row(page, "Exhausted")
      .getByRole("link", { name: `Application ${Id} Updated` })
      .click();

    await page.getByRole("heading", { name: `Application ${Id} Updated`, level: 1 }).waitFor();
    await page.getByText("Exhausted: 3 attempts, last 503.").waitFor();
    expect(await page.getByRole("img", { name: /^Attempts in their time: 503 at 0 ms/ }).count()).toBe(1);
    expect(await page.getByRole("table", { name: "Attempts" }).getByRole("row").count()).toBe(4);
    const answer = await page.getByRole("group", { name: "Response of attempt 3" }).textContent();
    expect(answer).toContain("x-node: b7");
    expect(answer).toContain("Maintenance until four");
    const asked = await page.getByRole("group", { name: "Request of attempt 3" }).textContent();
    expect(asked).toStartWith(`POST ${receiver.url}?ApiKey=•••\ncontent-type: application/json\nx-signature: •••\n`);
    expect(asked).toContain(`webhook-id: ${EventId}`);
    const sent = receiver.callsFor(EventId)[2]!.headers.get("webhook-timestamp");
    expect(asked).toContain(`webhook-timestamp: ${sent}`);
    const html = await page.content();
    for (const secret of ["between us", ApiKey]) expect(html).not.toContain(secret);
    await row(page, "Archive").getByText("not subscribed to Updated").waitFor();
    const temporal = page.getByRole("link", { name: "Open in Temporal" });
    expect(await temporal.getAttribute("href")).toEndWith(`/workflows/${EventId}`);

    await page.getByRole("button", { name: "Redeliver" }).click();
    await page.getByRole("status").getByText("It is sent again.").waitFor();
    await api.settled(EventId);
    if (!javaScriptEnabled) await page.reload();
    await page.getByText("Delivered at the 4th attempt").waitFor();
    await row(page, "4, run 2").getByText("200").waitFor();
    const bytes = receiver.callsFor(EventId).map((call) => call.bytes.toString("utf8"));
    expect(bytes).toHaveLength(4);
    expect(new Set(bytes).size).toBe(1);
    expect(complaints).toEqual([]);
  });
});

test("an event that is not at its end refreshes itself until it is, and leaves open what is open", async () => {
  const api = await newTenant();
  const held = Promise.withResolvers<number>();
  await using receiver = startReceiver(({ count }) => (count === 1 ? 500 : held.promise));
  await api.connect(receiver.url, { TimeoutMs: 30_000 });
  await api.change({ Name: "Front door" });
  const { EventId } = await api.newestEvent();
  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  await page.getByText("The 2nd attempt is under way.").waitFor();
  await page.getByRole("img", { name: /now under way\.$/ }).waitFor();
  const first = page.getByRole("group", { name: "Response of attempt 1" });
  await first.waitFor();
  await page.getByRole("button", { name: "Redeliver" }).waitFor({ state: "detached" });
  held.resolve(200);
  await page.getByText("Delivered at the 2nd attempt").waitFor();
  await page.getByRole("button", { name: "Redeliver" }).waitFor();
  expect(await first.isVisible()).toBe(true);
  expect(await page.locator("#event").getAttribute("hx-get")).toBeNull();
  expect(complaints).toEqual([]);
});

test("an event that is being delivered is not sent again: the page says so", async () => {
  const api = await newTenant();
  await using receiver = startReceiver(({ count }) => (count === 1 ? 200 : "hang"));
  await api.connect(receiver.url, { TimeoutMs: 30_000 });
  await api.change({ Name: "Front door" });
  const { EventId } = await api.settledEvent();
  const { page, open } = await enterSettings(browser, api.tenant);
  await open(`/settings/activity/${EventId}`);
  await page.getByRole("button", { name: "Redeliver" }).waitFor();
  await api.redeliver(EventId);
  await page.getByRole("button", { name: "Redeliver" }).click();
  await page.getByRole("alert").getByText("The event is being delivered just now.").waitFor();
  await page.getByText("attempt is under way").waitFor();
});

test("the list takes in new events by itself, but not while it is stopped, unseen or a page of the past", async () => {
  const api = await newTenant();
  await api.change({ Name: "Door 1" });
  await api.change({ Name: "Door 2" });
  const { page, open, complaints } = await enterSettings(browser, api.tenant);
  let asked = 0;
  page.on("request", (request) => {
    if (request.headers()["hx-request"]) asked++;
  });
  await page.clock.install();
  await open("/settings/activity?EventRecord=Application");
  await page.getByText("no connection for Application Created").first().waitFor();
  const third = await api.change({ Name: "Door 3" });
  await page.clock.runFor(REFRESH_MS);
  await row(page, `Application ${third.Id} Created`).waitFor();

  // Nobody looks: a script of the test's own says so, as a browser does of a tab in the background.
  await page.evaluate(`Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"))`);
  const before = asked;
  const fourth = await api.change({ Name: "Door 4" });
  await page.clock.runFor(3 * REFRESH_MS);
  expect(asked).toBe(before);
  await page.evaluate(`delete document.hidden; document.dispatchEvent(new Event("visibilitychange"))`);
  await row(page, `Application ${fourth.Id} Created`).waitFor();

  await page.getByRole("link", { name: "Stop" }).click();
  await page.getByText("Does not refresh itself.").waitFor();
  expect(await page.locator("[hx-get]").count()).toBe(0);
  await open("/settings/activity?Limit=2");
  await page.getByRole("link", { name: "Next page" }).click();
  await page.getByRole("link", { name: "Back to the first" }).waitFor();
  expect(await page.locator("[hx-get]").count()).toBe(0);
  expect(complaints).toEqual([]);
});

describe("filters live in the address", () => {
  test("and find what they say, by entity, kind, connection and time of the reader's zone", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    const { Id } = await api.connect(receiver.url, { Name: "Directory", Events: ["Updated"] });
    const { Id: door } = await api.change({ Name: "Front door" });
    await api.change({ Id: door, Description: "wide" });
    const { Timestamp } = await api.settledEvent();
    const { page, open } = await enterSettings(browser, api.tenant, { timezoneId: "Asia/Kolkata" });
    const found = async () => (await page.getByRole("rowheader").allTextContents()).join();
    await open("/settings/activity");
    await page.getByLabel("Connection").selectOption({ label: "Directory" });
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(/ConnectionId=/);
    expect(new URL(page.url()).searchParams.get("ConnectionId")).toBe(Id);
    expect(await found()).toBe(`Application ${door} Updated`);

    await open("/settings/activity?EventType=Updated&EventRecord=Application");
    expect(await found()).toBe(`Application ${door} Updated`);
    await open("/settings/activity?EventType=Updated&EventRecord=User");
    expect(await found()).toBe("");

    const hourBefore = new Date(Date.parse(Timestamp) - 3_600_000);
    const inIndia = new Date(hourBefore.getTime() + 5.5 * 3_600_000).toISOString().slice(0, 16);
    await open("/settings/activity");
    await page.getByLabel("To", { exact: true }).fill(inIndia);
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("No event is like that").waitFor();
    const to = new URL(page.url()).searchParams.get("To");
    expect(to).toBe(`${hourBefore.toISOString().slice(0, 16)}:00.000Z`);
    expect(await page.getByLabel("To", { exact: true }).inputValue()).toStartWith(inIndia);
    await page.getByRole("link", { name: "Clear" }).click();
    await row(page, `Application ${door} Created`).waitFor();
  });

  test("which are of UTC without script", async () => {
    const api = await newTenant();
    const { Id } = await api.change({ Name: "Front door" });
    await api.change({ Id, Description: "wide" });
    const { Timestamp } = await api.newestEvent();
    const minute = `${Timestamp.slice(0, 16)}:00`;
    const { page, open } = await enterSettings(browser, api.tenant, {
      javaScriptEnabled: false,
      timezoneId: "Asia/Kolkata",
    });
    await open("/settings/activity");
    await page.getByLabel("Event", { exact: true }).selectOption("Updated");
    await page.getByLabel("From (UTC)").fill(minute.slice(0, 16));
    await page.getByRole("button", { name: "Filter" }).click();
    expect(await page.getByRole("rowheader").count()).toBe(1);
    expect(await page.getByLabel("From (UTC)").inputValue()).toStartWith(minute.slice(0, 16));
    expect(await page.getByRole("link", { name: "Reload" }).count()).toBe(1);
  });
});

test("hostile texts in a payload, an answer and a name are shown as they are", async () => {
  const hostile = `</pre></script><script>alert(1)</script><img src=x onerror=alert(2)> &lt;b&gt; "'`;
  const turned = "abc\u202egpj.exe";
  const api = await newTenant();
  await using receiver = startReceiver(() => new Response(`${hostile}${turned}\u0007`, { status: 400 }));
  await api.connect(receiver.url, { Name: hostile });
  await api.change({ Name: hostile, Description: turned, ExternalId: "x".repeat(200) });
  const { EventId } = await api.settledEvent();
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

test("an auditor reads all of it, sees no button that sends, and may not send", async () => {
  const api = await newTenant();
  await using receiver = startReceiver(500);
  await api.connect(receiver.url, { Name: "Directory" });
  await api.change({ Name: "Front door" });
  const { EventId } = await api.settledEvent();
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

test("another organisation's event is not there", async () => {
  const [api, stranger] = [await newTenant(), await newTenant()];
  const { Id } = await api.change({ Name: "Front door" });
  const { EventId } = await api.newestEvent();
  const { page, open } = await enterSettings(browser, stranger.tenant);
  for (const path of [EventId, `${EventId}/payload.json`, "nonsense"]) {
    await open(`/settings/activity/${path}`);
    await page.getByText("There is no WebhookEvent with this EventId.").waitFor();
  }
  await open("/settings/activity");
  await row(page, "Application").first().waitFor();
  expect(await row(page, `Application ${Id}`).count()).toBe(0);
});

test("many deliveries are shown a page at a time, the worst first", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  await using gone = startReceiver(500);
  for (let number = 1; number <= 21; number++) await api.connect(receiver.url, { Name: `Receiver ${number}` });
  await api.connect(gone.url, { Name: "Broken" });
  await api.change({ Name: "Front door" });
  const { EventId } = await api.settledEvent();
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

test("what is copied as curl is the same call, signed anew", async () => {
  const secret = `whsec_${Buffer.from("thirty-two bytes of a real secret").toString("base64")}`;
  const api = await newTenant();
  await using receiver = startReceiver();
  const headers = { Authorization: "Bearer of the gate" };
  const { ApiKey } = await api.connect(receiver.url, { Secret: secret, Headers: headers });
  await api.change({ Name: `It's a "door" for $HOME & \`all\` \\ 100 %`, Description: "Tür" });
  const { EventId } = await api.settledEvent();
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
