// Dynamic registration without an initial access token (ClientRegistration: Open).

import { describe, expect, test } from "bun:test";
import { MAX_PUSHES } from "../../server/identity/oauth/authorize/pushed.ts";
import { MAX_CHANGES, UNUSED_SECONDS } from "../../server/identity/oauth/registration/service.ts";
import { REGISTRATION_LIMITS } from "../../server/platform/config/config.ts";
import { startSecondApi } from "../support/second-api.ts";
import { temporal } from "../support/temporal.ts";
import { type Answer, ok, until } from "../world/api.ts";
import { newPkce } from "../world/client.ts";
import { expectRfcError } from "../world/grants.ts";
import { adminIdOf, plantConsent, plantPushes } from "../world/planted.ts";
import {
  at,
  expectUnauthorized,
  initialToken,
  metadata,
  newRegistrar,
  PUBLIC,
  REDIRECT,
  REGISTER,
  refused,
  register,
  send,
} from "../world/registrar.ts";
import { addRows, eventsOf, expire, setRows, times } from "../world/rows.ts";
import { publish } from "../world/signer.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

describe("open registration", () => {
  test("needs no token, and grants no permission in this service", async () => {
    const scopes = ["openid", "AccessManager:Read", "Settings:Update", "Webhooks:Read"];
    const registrar = await newRegistrar("Open", scopes);
    const made = await register(registrar, metadata(PUBLIC));
    expect(made.body).toMatchObject({ scope: "openid" });
    for (const scope of ["AccessManager:Read", "openid Settings:Update", "*"]) {
      expect((await register(registrar, metadata({ scope }))).body.scope).toBe("openid");
    }
    const own = metadata({ grant_types: ["client_credentials"], redirect_uris: [] });
    refused(await register(registrar, own), "invalid_client_metadata", /initial access token/);
    // Clients registered with a token may get more.
    const vouched = await register(registrar, own, await initialToken(registrar));
    expect(vouched.body.scope).toBe(scopes.join(" "));
    // The tenant cannot be inferred here.
    expectUnauthorized(await send("POST", REGISTER, undefined, metadata()));
    expectUnauthorized(await register({ ...registrar, tenantId: Bun.randomUUIDv7() }, metadata()));
    expectUnauthorized(await register({ ...registrar, tenantId: "x" }, metadata()));
  });

  test("shows users an unverified name and where the answer is sent", async () => {
    const registrar = await newRegistrar("Open");
    const seen = async (redirect: string, metadataOf: object, token?: string) => {
      const sent = metadata({ ...PUBLIC, redirect_uris: [redirect], ...metadataOf });
      const { body } = await register(registrar, sent, token);
      const { challenge } = newPkce();
      const asked = { response_type: "code", client_id: body.client_id, redirect_uri: redirect, ...challenge };
      const visitor = new Visitor();
      const signIn = await visitor.open(`/oauth2/authorize?${new URLSearchParams({ ...asked, scope: "openid" })}`);
      const { username, password } = registrar;
      return { signIn, consent: await visitor.submit(signIn, { username, password }) };
    };
    const warning = "Your organisation has not approved this application.";
    const web = await seen(REDIRECT, {});
    expect(web.signIn.html).toContain("Payroll (app.example)");
    expect(web.consent.html).toContain("<strong>Payroll (app.example)</strong> asks to");
    expect(web.consent.html).toContain(`${warning}</span> Allow it only if you know <strong>app.example</strong>`);
    // In an app's own address, everything except the scheme is arbitrary.
    const app = await seen("app.payroll://bank.example/callback", {});
    expect(app.signIn.html).toContain(" (app.payroll)<");
    expect(app.consent.html).toContain("<strong>app.payroll</strong>");
    expect(app.consent.html).not.toContain("bank.example</strong>");
    const onDevice = await seen("http://127.0.0.1/callback", { application_type: "native" });
    expect(onDevice.signIn.html).not.toContain("Payroll (");
    expect(onDevice.consent.html).toContain(
      `${warning}</span> <span>Allow it only if you have just started it on this device.`,
    );
    const vouched = await seen(REDIRECT, {}, await initialToken(registrar));
    expect(vouched.consent.heading).toBe("Allow access");
    expect(vouched.consent.html).not.toContain(warning);
  });

  test("gives no client a name that could be confused with an Application's", async () => {
    const registrar = await newRegistrar("Open");
    const { body } = await register(registrar, metadata({ client_name: "Payroll" }));
    const { Id } = (await ok(registrar.admin.get("/Application?Name=Payroll"))).Items[0];
    expect(String(Id)).toBe(body.client_id);
    for (const sent of [{ Name: "Payroll" }, [{ Name: "Payroll" }], { Name: "Payroll", Description: "Ours" }]) {
      const answer = await registrar.admin.patch("/Application", sent);
      expect(answer.status).toBe(409);
      expect(JSON.stringify(answer.body.Errors)).toMatch(/registered itself\. Change it by its Id/);
    }
    expect(await ok(registrar.admin.patch("/Application", { Id, Description: "A stranger's" }))).toMatchObject({ Id });
    // A client registered with a token equals one created by an administrator.
    await register(registrar, metadata({ client_name: "Wiki" }), await initialToken(registrar));
    await ok(registrar.admin.patch("/Application", { Name: "Wiki", Description: "Ours" }));
  });

  test.each(["client_credentials", "urn:ietf:params:oauth:grant-type:device_code"])(
    "gives no client %s; with an initial access token it does",
    async (grant) => {
      const registrar = await newRegistrar("Open");
      const asked = metadata({ grant_types: ["authorization_code", grant] });
      expect((await register(registrar, asked)).body.grant_types).toEqual(["authorization_code"]);
      const alone = metadata({ grant_types: [grant] });
      refused(await register(registrar, alone), "invalid_client_metadata", /needs an initial access token/);
      const vouched = await register(registrar, asked, await initialToken(registrar));
      expect(vouched.body.grant_types).toContain(grant);
    },
  );

  test("sends no request to addresses of an open client's choice, at registration or changes", async () => {
    await using sector = publish(() => Response.json([REDIRECT]));
    const registrar = await newRegistrar("Open");
    const asked = metadata({ subject_type: "pairwise", sector_identifier_uri: sector.uri });
    refused(await register(registrar, asked), "invalid_client_metadata", /needs an initial access token/);
    const made = await register(registrar, metadata());
    const changed = { ...asked, client_id: made.body.client_id };
    const answer = await send("PUT", at(made), made.body.registration_access_token, changed);
    refused(answer, "invalid_client_metadata", /needs an initial access token/);
    expect(sector.asked).toBe(0);
    expect((await register(registrar, asked, await initialToken(registrar))).status).toBe(201);
    expect(sector.asked).toBe(1);
  });

  test("has one limit for all addresses of an IPv6 network", async () => {
    await using second = await startSecondApi({ TRUST_PROXY: "true" });
    const { tenantId } = await newRegistrar("Open");
    const from = async (address: string) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": address };
      const body = JSON.stringify(metadata(PUBLIC));
      return (await fetch(`${second.url}${REGISTER}/${tenantId}`, { method: "POST", headers, body })).status;
    };
    const answers = await Promise.all(
      Array.from({ length: REGISTRATION_LIMITS.address + 2 }, (_, at) => from(`2001:db8:0:7::${at + 1}`)),
    );
    expect(answers.filter((status) => status === 201)).toHaveLength(REGISTRATION_LIMITS.address);
    expect(answers.filter((status) => status === 429)).toHaveLength(2);
    expect(await from("2001:db8:0:8::1")).toBe(201);
  });

  test("has a limit per address that the operator sets, for services with one client for each user", async () => {
    await using second = await startSecondApi({ REGISTRATIONS_PER_ADDRESS: "22", REGISTRATIONS_PER_TENANT: "23" });
    const { tenantId } = await newRegistrar("Open");
    const headers = { "content-type": "application/json" };
    const claude = { ...metadata(PUBLIC), client_name: "Claude" };
    const once = () =>
      fetch(`${second.url}${REGISTER}/${tenantId}`, { method: "POST", headers, body: JSON.stringify(claude) });
    const answers = await Promise.all(Array.from({ length: 24 }, once));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(22);
    const over = answers.find(({ status }) => status === 429)!;
    expect(await over.text()).toContain("22 clients were registered from this address within an hour.");
    await setRows("open_registrations", { tenant_id: tenantId }, { network: "192.0.2.1" });
    expect((await once()).status).toBe(201);
    expect(await (await once()).text()).toContain("23 clients were registered within an hour.");
  });

  test("has a limit per address, and one address does not use up all of it", async () => {
    const registrar = await newRegistrar("Open");
    const answers = await Promise.all(
      Array.from({ length: REGISTRATION_LIMITS.address + 3 }, () => register(registrar, metadata(PUBLIC))),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(REGISTRATION_LIMITS.address);
    const over = answers.find(({ status }) => status === 429)!;
    expect(over.headers.get("retry-after")).toBe("3600");
    expect(over.body.error_description).toContain("20 clients were registered from this address");
    expect((await register(registrar, metadata(PUBLIC), await initialToken(registrar))).status).toBe(201);
    // A client that deletes itself still counts.
    const [first] = made;
    expect((await send("DELETE", at(first!), first!.body.registration_access_token)).status).toBe(204);
    expect((await register(registrar, metadata(PUBLIC))).status).toBe(429);
    await setRows("open_registrations", { tenant_id: registrar.tenantId }, { network: "192.0.2.1" });
    expect((await register(registrar, metadata(PUBLIC))).status).toBe(201);
    // The tenant's own limit, for all addresses together.
    const elsewhere = () => ({ tenant_id: registrar.tenantId, network: "192.0.2.3" });
    await addRows("open_registrations", times(REGISTRATION_LIMITS.tenant, elsewhere));
    const full = await register(registrar, metadata(PUBLIC));
    expect([full.status, full.body.error_description]).toEqual([
      429,
      "200 clients were registered within an hour. Try again in an hour.",
    ]);
  });

  test("gives confidential clients no larger limits than public ones", async () => {
    const registrar = await newRegistrar("Open");
    const push = async ({ client_id, client_secret }: Record<string, string>) => {
      const asked = {
        client_id: client_id!,
        client_secret: client_secret!,
        response_type: "code",
        redirect_uri: REDIRECT,
      };
      return (await request("POST", "/oauth2/par", { body: new URLSearchParams({ ...asked, scope: "openid" }) }))
        .status;
    };
    const open = (await register(registrar, metadata())).body;
    const vouched = (await register(registrar, metadata(), await initialToken(registrar))).body;
    for (const [client, status] of [
      [open, 429],
      [vouched, 201],
    ]) {
      expect(await push(client)).toBe(201);
      await plantPushes(registrar, client.client_id, MAX_PUSHES.address - 1, { network: "127.0.0.1" });
      expect(await push(client)).toBe(status);
    }
  });

  test("limits how often an hour a client changes itself", async () => {
    const registrar = await newRegistrar("Open");
    const made = await register(registrar, metadata());
    const { client_id } = made.body;
    let token = made.body.registration_access_token;
    const change = async () => {
      const answer = await send("PUT", at(made), token, { ...metadata(), client_id });
      token = answer.body.registration_access_token ?? token;
      return answer;
    };
    for (let count = 0; count < MAX_CHANGES; count++) expect((await change()).status).toBe(200);
    const over = await change();
    expectRfcError(over, 429, "invalid_request", /changed itself 20 times within an hour/);
    expect(over.headers.get("retry-after")).toBe("3600");
    await expire("registered_clients", { application_id: client_id }, "counted_from", "1 hour");
    expect((await change()).status).toBe(200);
    expect((await send("DELETE", at(made), token)).status).toBe(204);
  });

  test("deletes unused clients after seven days, with an event and an audit row; others stay", async () => {
    const registrar = await newRegistrar("Open");
    const [unused, used, young] = await Promise.all([1, 2, 3].map(() => register(registrar, metadata(PUBLIC))));
    const vouched = await register(registrar, metadata(PUBLIC), await initialToken(registrar));
    const ids = [unused, used, vouched].map((answer) => answer!.body.client_id);
    await expire("registered_clients", { application_id: ids }, "registered_on", `${UNUSED_SECONDS + 1} seconds`);
    await plantConsent(registrar, await adminIdOf(registrar), used!.body.client_id);
    const client = await temporal();
    await client.schedule.getHandle("maintenance").trigger();
    const read = (answer: Answer) => send("GET", at(answer), answer.body.registration_access_token);
    await until("the unused client to be gone", async () => (await read(unused!)).status === 401);
    for (const one of [used!, young!, vouched]) expect((await read(one)).status).toBe(200);
    const gone = (await eventsOf(registrar.tenantId)).filter(({ type }) => type === "Deleted");
    expect(gone.map(({ recordId }) => String(recordId))).toEqual([unused!.body.client_id]);
    const { Items } = await ok(registrar.admin.get("/AuditEvent?Kind=Credentials.Deleted"));
    expect(Items[0]).toMatchObject({ Subject: { Id: unused!.body.client_id }, Details: { Reason: "Unused" } });
    await client.connection.close();
  });
});
