// Colours and explanations that several pages share, and pages that need a history of weeks.

import { expect, test } from "bun:test";
import type { TenantId } from "../../server/ids.ts";
import { issuer, newClient } from "../authorize/client.ts";
import { Visitor } from "../authorize/visitor.ts";
import { until } from "../support/api.ts";
import { openWindows } from "../support/browser.ts";
import { fill } from "../support/fill.ts";
import { inspect } from "../support/inspect.ts";
import { startReceiver } from "../support/receiver.ts";
import { db, newTenant } from "../support/tenant.ts";
import { finished, temporal } from "../webhooks/temporal.ts";
import { enterSettings } from "./console.ts";

const browser = openWindows();
const PATIENCE_MS = 170_000;
const DAY_MS = 86_400_000;

test("the page of an event shows the setting that a refused body needs", async () => {
  const api = await newTenant();
  await using receiver = startReceiver([413, 200]);
  await api.connect(receiver.url, { Name: "Door system" });
  await api.change({ Name: "Front door" });
  const { EventId } = await api.settledEvent();
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  await visitor.open(`/settings/activity/${EventId}`);
  await visitor.page.getByText("client_max_body_size").first().waitFor();
});

test(
  "sign-in, consent and Settings use one blue, in light and dark mode",
  async () => {
    const client = await newClient();
    const page = await browser.newPage();
    const blue = async (button: string) => {
      const of = async (colorScheme: "light" | "dark") => {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        return page
          .locator(button)
          .first()
          .evaluate((one) => getComputedStyle(one).backgroundColor);
      };
      return { light: await of("light"), dark: await of("dark") };
    };
    await page.goto(issuer() + client.authorize());
    const ofSignIn = await blue("main button[type=submit]");
    await page.getByLabel("User name").fill(client.tenant.admin.username);
    await page.getByLabel("Password").fill(client.tenant.admin.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Allow" }).waitFor();
    const ofConsent = await blue("main button[value=allow]");
    await page.goto(`${issuer()}/settings?organisation=${client.tenant.tenantId}`);
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.goto(`${issuer()}/settings/webhooks/add`);
    const ofSettings = await blue(".main");
    expect([ofSignIn, ofConsent]).toEqual([ofSettings, ofSettings]);
    expect(ofSettings.light).not.toBe(ofSettings.dark);
  },
  PATIENCE_MS,
);

test(
  "failure words are explained where shown: at connections, in lists, in alerts",
  async () => {
    const api = await newTenant();
    const closed = startReceiver();
    const { Id } = await api.connect(closed.url, { Name: "Door system", HoldAfter: 1 });
    await closed[Symbol.asyncDispose]();
    await api.change({ Name: "Front door" });
    await until("the connection to be held", async () => (await api.connection(Id)).State === "Held");
    await using visitor = await enterSettings(browser, api.tenant);
    const { page, open } = visitor;
    const meaning = "Nothing listens at that address and port.";
    await open(`/settings/webhooks/${Id}`);
    await page.locator(".warning").getByText(meaning).waitFor();
    for (const path of ["/settings", "/settings/webhooks"]) {
      await open(path);
      expect(await page.locator("abbr").first().getAttribute("title")).toBe(meaning);
    }
  },
  PATIENCE_MS,
);

test(
  "Data and the overview of a tenant with weeks of changes are accessible and fit",
  async () => {
    const api = await newTenant();
    const { Id } = await api.connect("https://localhost:9443/", { Name: "Door system", State: "Paused" });
    const filling = { tenantId: api.tenantId as TenantId, connectionIds: [Id] };
    await fill(db(), { ...filling, events: 1, spanMs: 40 * DAY_MS, stateOf: () => "Held" });
    await fill(db(), { ...filling, events: 4_000, spanMs: 25 * DAY_MS });
    await using visitor = await enterSettings(browser, api.tenant);
    const { page, open, complaints } = visitor;
    await page.getByText("1 delivery of changes older than the log is kept").waitFor();
    await inspect(page, "overview-overdue");
    await open("/settings/data");
    await page.getByRole("heading", { name: "Data", level: 1 }).waitFor();
    await inspect(page, "data");
    await page.getByLabel("If kept for days").fill("10");
    await page.getByRole("button", { name: "Count" }).click();
    await page.getByRole("columnheader", { name: "Would go after 10 d" }).waitFor();
    await page.getByText("The same as a table").click();
    await inspect(page, "data-asked");
    expect(complaints).toEqual([]);
    await open("/settings/data?Days=none");
    await page.getByRole("alert").waitFor();
    await inspect(page, "data-refused");
  },
  PATIENCE_MS,
);

test("a link to a workflow leads to the Temporal UI, and says so once Temporal no longer has it", async () => {
  const [api, other] = await Promise.all([newTenant(), newTenant()]);
  await using receiver = startReceiver();
  await api.connect(receiver.url);
  await api.change({ Name: "Front door" });
  const { EventId, WorkflowId, WorkflowUrl } = await api.settledEvent();
  const client = await temporal();
  await finished(client, WorkflowId);
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  const { page, open } = visitor;
  await open(`/settings/activity/${EventId}`);
  const path = (await page.getByRole("link", { name: "Open in Temporal" }).getAttribute("href"))!;
  const leadsTo = async (tenant: typeof api.tenant) => {
    const plain = new Visitor(issuer());
    await plain.submit(await plain.open(`/settings?organisation=${tenant.tenantId}`), tenant.admin);
    const { status, location, heading } = await plain.open(path);
    return { status, address: location?.href, heading };
  };
  expect(await leadsTo(api.tenant)).toMatchObject({ status: 303, address: WorkflowUrl });
  const gone = { status: 410, address: undefined, heading: "Workflow gone" };
  expect(await leadsTo(other.tenant)).toEqual(gone);
  // As Temporal's retention does.
  await client.workflowService.deleteWorkflowExecution({
    namespace: "default",
    workflowExecution: { workflowId: WorkflowId },
  });
  await until("it to be gone", async () => (await leadsTo(api.tenant)).status === 410);
  expect(await leadsTo(api.tenant)).toEqual(gone);
  await open(path);
  await page.getByText("It keeps workflows for a time after their end").waitFor();
  await client.connection.close();
});
