// A connection's tab Statement answers in two clicks whether everything of a period arrived.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { enterSettings } from "../world/console.ts";
import { startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const browser = openWindows();

describe.each([true, false])("with script: %p", (javaScriptEnabled) => {
  test("the tab tells what arrived, and the files prove it", async () => {
    const api = await newTenant();
    let status = 200;
    await using receiver = startReceiver(() => status);
    const { Id } = await api.connect(receiver.url, { Name: "Directory" });
    const arrived = await api.settledChange({ Name: "Gate" });
    status = 500;
    const lost = await api.settledChange({ Name: "Door" });
    await using visitor = await enterSettings(browser, api.tenant, { javaScriptEnabled });
    const { page, open, complaints } = visitor;
    const link = (name: string) => page.getByRole("link", { name, exact: true });
    const shows = (text: string) => page.getByRole("status").getByText(text).waitFor();
    await open(`/settings/webhooks/${Id}`);
    await link("Statement").click();
    await shows("No: 1 of 2 events was not delivered (1 given up).");
    if (javaScriptEnabled) await inspect(page, "statement");

    const at = (time: string, plus: number) => new Date(Date.parse(time) + plus).toISOString().slice(0, -1);
    await page.getByLabel("Events from").fill(at(arrived.Timestamp, 0));
    await page.getByLabel("Before").fill(at(lost.Timestamp, 0));
    await page.getByRole("button", { name: "Show" }).click();
    await shows("Everything so far arrived. The one event was delivered, the last at");
    if (javaScriptEnabled) await inspect(page, "statement-complete");
    const fetched = async (name: string) => {
      const href = await link(name).getAttribute("href");
      const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`);
      return fetch(new URL(href!, page.url()), { headers: { cookie: cookies.join("; ") } });
    };
    expect((await (await fetched("Export CSV")).text()).split("\r\n")[1]).toContain(arrived.EventId);
    const signed = await fetched("Signed statement");
    expect(signed.headers.get("content-type")).toBe("application/jwt");
    expect(decodeJwt(await signed.text())).toMatchObject({ ConnectionId: Id, Owed: { Count: 1 } });

    await page.getByLabel("Events from").fill(at(lost.Timestamp, 0));
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("“Events from” must be before “Before”.").waitFor();
    if (javaScriptEnabled) await inspect(page, "statement-refused");

    await open("/settings/webhooks");
    await link("Statement of all connections").click();
    await shows("No: 1 of 2 events was not delivered (1 given up).");
    if (javaScriptEnabled) await inspect(page, "statement-of-all");
    await page.getByRole("table", { name: "Deliveries by outcome" }).getByRole("link").click();
    await page.getByRole("row").filter({ hasText: "Door" }).waitFor();
    await open("/settings/statement");
    await link("Directory").click();
    await link("Send them again").click();
    await page.getByRole("heading", { name: "Redeliver", level: 1 }).waitFor();
    expect(complaints.filter((line) => !/status of 4\d\d/.test(line))).toEqual([]);
  });
});
