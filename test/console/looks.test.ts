// Colours and explanations that several pages share, and pages that need a history of weeks.

import { expect, test } from "bun:test";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { measureKept } from "../../server/data/retention/measure.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { createFindWorkflow } from "../../server/platform/temporal/find-workflow.ts";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { finished, temporal } from "../support/temporal.ts";
import { type Api, until } from "../world/api.ts";
import { issuer, newClient } from "../world/client.ts";
import { enterSettings } from "../world/console.ts";
import { plantFormerTotals } from "../world/planted.ts";
import { connected, startReceiver } from "../world/receiver.ts";
import { fill } from "../world/rows.ts";
import { db, newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const browser = openWindows();
const DAY_MS = 86_400_000;

test("the page of an event shows the setting that a refused body needs", async () => {
  const api = await newTenant();
  await using receiver = startReceiver([413, 200]);
  await api.connect(receiver.url, { Name: "Door system" });
  const { EventId } = await api.settledChange({ Name: "Front door" });
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  await visitor.open(`/settings/activity/${EventId}`);
  await visitor.page.getByText("client_max_body_size").first().waitFor();
});

test("sign-in, consent and Settings use one blue, in light and dark mode", async () => {
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
});

test("failure words are explained where shown: at connections, in lists, in alerts", async () => {
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
});

test("Data and the overview of a tenant with weeks of changes are accessible and fit", async () => {
  const api = await newTenant();
  const { Id } = await api.connect("https://localhost:9443/", { Name: "Door system", State: "Paused" });
  const filling = { tenantId: api.tenantId as TenantId, connectionIds: [Id] };
  await fill(db(), { ...filling, events: 1, spanMs: 40 * DAY_MS, stateOf: () => "Held" });
  await fill(db(), { ...filling, events: 4_000, spanMs: 25 * DAY_MS });
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await page.getByText("1 delivery of changes older than the log is kept").waitFor();
  await inspect(page, "overview-overdue");
  await measureKept(db(), new Date(Date.now() + 60_000));
  await plantFormerTotals(api, 25);
  await open("/settings/data");
  await page.getByRole("heading", { name: "Data", level: 1 }).waitFor();
  await inspect(page, "data");
  await page.getByLabel("If kept for days").fill("10");
  await page.getByRole("button", { name: "Count" }).click();
  await page.getByRole("columnheader", { name: "Removed if kept for 10 d" }).waitFor();
  await page.getByText("The same as a table").click();
  await inspect(page, "data-asked");
  expect(complaints).toEqual([]);
  await open("/settings/data?Days=none");
  await page.getByRole("alert").waitFor();
  await inspect(page, "data-refused");
});

test("a link to a workflow leads to the Temporal UI, and says so once Temporal no longer has it", async () => {
  const [api, other] = await Promise.all([newTenant(), newTenant()]);
  await using _ = await connected(api);
  const { EventId, WorkflowId, WorkflowUrl } = await api.settledChange({ Name: "Front door" });
  const client = await temporal();
  await finished(client, WorkflowId);
  await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled: false });
  await visitor.open(`/settings/activity/${EventId}`);
  const path = (await visitor.page.getByRole("link", { name: "Open in Temporal" }).getAttribute("href"))!;
  const [own, foreign] = await Promise.all([api, other].map(enter));
  expect(await own!.open(path)).toMatchObject({ status: 303, location: new URL(WorkflowUrl) });
  // A busy Temporal may answer too late, and then the link leads on.
  const gone = (one: Visitor) => {
    const look = async () => [await one.open(path)].find(({ status }) => status === 410);
    return until("it to be gone", look);
  };
  expect(await gone(foreign!)).toMatchObject({ heading: "Workflow gone", location: undefined });
  // As Temporal's retention does.
  await client.workflowService.deleteWorkflowExecution({
    namespace: "default",
    workflowExecution: { workflowId: WorkflowId },
  });
  expect((await gone(own!)).html).toContain("It keeps workflows for a time after their end");
  await client.connection.close();
});

async function enter({ tenant }: Api): Promise<Visitor> {
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${tenant.tenantId}`), tenant.admin);
  return visitor;
}

test("a Temporal that is away or silent hides no workflow", async () => {
  using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const away = await nextFreePort(0, "127.0.0.1", new Set());
  for (const port of [away, silent.port]) {
    const find = createFindWorkflow({
      connection: { address: `127.0.0.1:${port}` },
      namespace: "default",
    });
    expect(await find("a tenant" as TenantId, "a workflow")).toBeUndefined();
  }
});
