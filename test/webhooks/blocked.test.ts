// A Gatehouse with an empty EGRESS_ALLOW: receivers must have public addresses.

import { afterAll, describe, expect, test } from "bun:test";
import { startStack } from "../support/stack.ts";
import { connected } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const stack = await startStack({ env: { EGRESS_ALLOW: "" } });
const api = await newTenant(stack);
afterAll(() => stack?.stop());

describe("an address that is not public", () => {
  test.each([
    ["https://127.0.0.1/"],
    ["https://127.1/"],
    ["https://2130706433/"],
    ["https://0x7f000001/"],
    ["https://0177.0.0.1/"],
    ["https://%31%32%37.0.0.1/"],
    ["https://127.0.0.1./"],
    ["https://①②⑦.0.0.1/"],
    ["https://0.0.0.0/"],
    ["https://10.1.2.3:8443/"],
    ["https://172.16.0.1/"],
    ["https://192.168.1.1/"],
    ["https://100.64.0.1/"],
    ["https://169.254.169.254/latest/meta-data/"],
    ["https://168.63.129.16/metadata/"],
    ["https://metadata.google.internal/"],
    ["https://224.0.0.1/"],
    ["https://255.255.255.255/"],
    ["https://[::1]/"],
    ["https://[::]/"],
    ["https://[0:0:0:0:0:0:0:1]/"],
    ["https://[::ffff:127.0.0.1]/"],
    ["https://[::ffff:7f00:1]/"],
    ["https://[::127.0.0.1]/"],
    ["https://[64:ff9b::7f00:1]/"],
    ["https://[2002:7f00:1::]/"],
    ["https://[fd00::1]/"],
    ["https://[fe80::1]/"],
  ])("cannot be saved as %s", async (url) => {
    const fields = { URL: url, Entities: ["Application"], Events: ["Created"] };
    const { status, body } = await api.call<{ Type: string; Errors: string[] }>("POST", "/WebhookConnection", fields);
    expect(status).toBe(400);
    expect(body.Type).toBe("/Errors/Bad Input");
    expect(body.Errors.join(" ")).toMatch(/EGRESS_(ALLOW|DENY)/);
  });

  test("with a public prefix is accepted: a public literal and a name are saved", async () => {
    for (const url of ["https://1.1.1.1/", "https://[2606:4700:4700::1111]/", "https://localhost:8443/"]) {
      expect((await (await newTenant(stack)).connect(url)).URL).toBe(url);
    }
  });

  test("that a name resolves to gets nothing: each attempt is logged as blocked-address", async () => {
    await using receiver = await connected(api, 200, { dataDir: process.env.GATEHOUSE_TEST_DATA_DIR ?? stack.dataDir });
    const event = await api.settledChange({ Name: "Gate" });
    expect(event.State).toBe("Exhausted");
    const failures = event.Deliveries[0]!.Attempts.map((attempt) => attempt.Failure);
    expect(failures).toEqual(["blocked-address", "blocked-address", "blocked-address"]);
    expect(receiver.calls).toHaveLength(0);
  });
});
