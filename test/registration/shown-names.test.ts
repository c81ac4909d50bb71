// Names that people read: emoji and joined scripts are kept, and text that hides or reverses its neighbours is refused.

import { describe, expect, test } from "bun:test";
import { KINDS } from "../world/apply.ts";
import { newPkce } from "../world/client.ts";
import { metadata, newRegistrar, PUBLIC, REDIRECT, refused, register } from "../world/registrar.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const MARKS = ["\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"];
/** Directories send names of people with marks. */
const OF_PEOPLE = ["User", "Department", "Group"];

describe.concurrent("a client's name", () => {
  test.each([
    "👩‍👩‍👧‍👦 Family",
    "🏳️‍🌈 Pride",
    "Bank 🇩🇪",
    "👍🏽 Well done",
    "👨🏽‍🚒 Fire",
    "1️⃣ First",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿 England",
    "❤️‍🔥 Love",
    "☃️ Winter",
    "می‌خواهم",
    "ශ්‍රී ලංකා",
  ])("%s is registered and shown as it is", async (client_name) => {
    const registrar = await newRegistrar("Open", ["openid", "profile"]);
    const made = await register(registrar, metadata({ client_name, ...PUBLIC }));
    expect([made.status, made.body.client_name]).toEqual([201, client_name.normalize("NFC")]);
    const { client_id } = made.body;
    const asked = { client_id, response_type: "code", redirect_uri: REDIRECT, ...newPkce().challenge };
    const visitor = new Visitor();
    const page = await visitor.open(`/oauth2/authorize?${new URLSearchParams({ ...asked, scope: "openid profile" })}`);
    const { username, password } = registrar;
    expect((await visitor.submit(page, { username, password })).html).toContain(client_name.normalize("NFC"));
  });

  test.each([
    ...MARKS.map((mark) => `Pay${mark}roll`),
    ...[
      "Pay\u200droll",
      "Pay\u200croll",
      "Payroll\ufe0f",
      "Payroll1\ufe0f",
      "👩\u200d",
      "\u200d👩",
      "Payroll\u{e0041}\u{e007f}",
    ],
    ...["🏴\u{e0041}\u{e007f}", "Payroll\u2028x", "Payroll\u3164"],
  ])("%j hides or reverses text and is refused", async (client_name) => {
    const registrar = await newRegistrar("Open");
    refused(await register(registrar, metadata({ client_name })), "invalid_client_metadata", /invisible/);
  });
});

describe.concurrent("a name set by an administrator", () => {
  test("reverses no text in any kind of record", () => {
    const named = KINDS.filter(({ name, settable }) => settable.has("Name") && !OF_PEOPLE.includes(name));
    expect(named.length).toBeGreaterThan(4);
    for (const { name, contract } of named) {
      for (const mark of MARKS) {
        const { problems } = contract.check({ Name: `Pay${mark}roll` });
        expect([name, problems.map(({ Message }) => Message)]).toEqual([
          name,
          ["Name contains a character that changes the direction of text."],
        ]);
      }
      expect(contract.check({ Name: "\u202aמשכורות 👩‍👧\u202c" }).problems).toEqual([]);
    }
  });

  test("nor does a description, of a setting", () => {
    const described = KINDS.filter(
      ({ name, settable }) => settable.has("Description") && !/^(User|Department|Group|Application)$/.test(name),
    );
    expect(described.length).toBeGreaterThan(2);
    for (const { name, contract } of described) {
      const { problems } = contract.check({ Description: "Pay\u202eroll" });
      expect([name, problems.length]).toEqual([name, 1]);
    }
  });

  test("is answered with its field", async () => {
    const api = await newTenant();
    const provider = { Type: "OpenIDConnect", ClientId: "x", Issuer: "https://id.example" };
    const answers = [
      await api.patch("/IdentityProvider", { Name: "Goo\u202egle", ...provider }),
      await api.patch("/Application", { Name: "Pay\u202eroll" }),
      await api.call("POST", "/RegistrationToken", { Name: "To\u200fken" }),
    ];
    const scope = { Name: "orders:read", Description: "Read \u202eorders" };
    const ofApi = await api.patch("/Api", { Name: "Orders", Audience: "https://orders.example", Scopes: [scope] });
    expect([ofApi.status, ofApi.body.Errors.join()]).toEqual([400, expect.stringContaining("changes the direction")]);
    for (const { status, body } of answers) {
      expect(status).toBe(400);
      expect(body.Errors).toEqual(["Name contains a character that changes the direction of text."]);
    }
  });
});
