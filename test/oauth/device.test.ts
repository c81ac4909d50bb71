// The device flow (RFC 8628): codes, pages, and attacks.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { MAX_WAITING } from "../../server/identity/oauth/authorize/device.ts";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { startSecondApi } from "../support/second-api.ts";
import { type Client, newClient, otherClient, RFC_TOKEN_PATH, setCredentials } from "../world/client.ts";
import {
  ageDevice,
  allowDevice,
  beginDevice,
  credentialsOf,
  DEVICE_PATH,
  type Device,
  toQuestion,
  typeCode,
} from "../world/device.ts";
import { expectRfcError, form, postAs } from "../world/grants.ts";
import { plantDeviceCodes } from "../world/planted.ts";
import { expire, removeRows, rowsOf } from "../world/rows.ts";
import { DpopKey } from "../world/signer.ts";
import { clientOf, request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const ENTER = "Sign a device in";
const GRANTS = [DEVICE_GRANT, "refresh_token", "authorization_code", "client_credentials"];

const newDeviceClient = (fields: object = {}) => newClient({ grant_types: GRANTS, ...fields });

/** Signed in, so its wrong codes count for its own user. */
async function signedIn(client: Client): Promise<Visitor> {
  const visitor = new Visitor();
  await client.visit(visitor);
  return visitor;
}

const client = await newDeviceClient();

describe("a device", () => {
  test("gets its codes, and its tokens once its user has allowed it", async () => {
    const { status, body, headers } = await request("POST", DEVICE_PATH, {
      body: form({ ...credentialsOf(client), scope: "openid profile" }),
    });
    expect(status).toBe(200);
    const uri = `${new URL(body.verification_uri).origin}/device`;
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: uri,
      verification_uri_complete: `${uri}?user_code=${body.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(headers.get("cache-control")).toBe("no-store");

    const device = await beginDevice(client, { scope: "openid profile" });
    expectRfcError(await device.poll(), 400, "authorization_pending");
    const done = await allowDevice(device, client);
    expect(done.heading).toBe("The device is signed in");
    const answer = await device.poll();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ token_type: "Bearer", scope: "openid profile" });
    const { sub, sid, aud } = decodeJwt(answer.body.id_token);
    expect({ sid, aud }).toEqual({ sid: undefined, aud: client.id });
    expect(decodeJwt(answer.body.access_token).sub).toBe(sub);
    expect((await client.refresh(answer.body.refresh_token)).status).toBe(200);
  });

  test("gets tokens bound to its key, and none without a key if the client requires one (RFC 9449)", async () => {
    const bound = await newDeviceClient();
    await setCredentials(bound.id, { dpop_bound: true });
    const [device, key] = await Promise.all([beginDevice(bound, { scope: "openid profile" }), DpopKey.make()]);
    await allowDevice(device, bound);
    const proven = async () => device.poll({}, bound, { dpop: await key.proof({ path: RFC_TOKEN_PATH }) });
    expectRfcError(await device.poll(), 400, "invalid_dpop_proof");
    const asked = await proven();
    expectRfcError(asked, 400, "use_dpop_nonce");
    key.nonce = asked.headers.get("dpop-nonce")!;
    const { status, body } = await proven();
    expect([status, body.token_type]).toEqual([200, "DPoP"]);
    expect(decodeJwt(body.access_token).cnf).toEqual({ jkt: key.jkt });

    const path = "/oauth2/userinfo";
    const use = async (by: DpopKey) => {
      const dpop = await by.proof({ method: "GET", path, accessToken: body.access_token });
      return request("GET", path, { headers: { authorization: `DPoP ${body.access_token}`, dpop } });
    };
    const stranger = await DpopKey.make();
    stranger.nonce = key.nonce;
    expect([(await use(key)).status, (await use(stranger)).status]).toEqual([200, 401]);
    const bare = await request("GET", path, { headers: { authorization: `Bearer ${body.access_token}` } });
    expect(bare.status).toBe(401);
    const headers = { dpop: await key.proof({ path: RFC_TOKEN_PATH }) };
    const fields = { grant_type: "refresh_token", refresh_token: body.refresh_token };
    const refreshed = await request("POST", RFC_TOKEN_PATH, {
      body: form({ ...credentialsOf(bound), ...fields }),
      headers,
    });
    expect([refreshed.status, decodeJwt(refreshed.body.access_token).cnf]).toEqual([200, { jkt: key.jkt }]);
  });

  test("authenticates as at the token endpoint, and requires the grant", async () => {
    const wrong = { ...credentialsOf(client), client_secret: "wrong" };
    expectRfcError(await request("POST", DEVICE_PATH, { body: form(wrong) }), 401, "invalid_client");
    const other = await otherClient(client);
    const refused = await request("POST", DEVICE_PATH, { body: form(credentialsOf(other)) });
    expectRfcError(refused, 400, "unauthorized_client");
    const device = await beginDevice(client);
    expectRfcError(await device.poll({}, other), 400, "unauthorized_client");
    const open = await newDeviceClient({ client_type: "native" });
    const answer = await request("POST", DEVICE_PATH, { body: form({ client_id: open.id }) });
    expect(answer.status).toBe(200);
  });

  test("requests scopes and resources like any request", async () => {
    const ask = (fields: Record<string, string>) =>
      request("POST", DEVICE_PATH, { body: form({ ...credentialsOf(client), ...fields }) });
    expectRfcError(await ask({ scope: "nonsense" }), 400, "invalid_scope");
    expectRfcError(await ask({ resource: "urn:nobody" }), 400, "invalid_target");
    expect((await request("GET", DEVICE_PATH)).status).toBe(405);
  });

  test("that polls too fast must wait 5 s longer from then on", async () => {
    const device = await beginDevice(client);
    expectRfcError(await device.poll(), 400, "authorization_pending");
    expectRfcError(await device.poll(), 400, "slow_down");
    await ageDevice(device, "6 seconds");
    // 6 s was enough before; now the interval is 10 s.
    expectRfcError(await device.poll(), 400, "slow_down");
    await ageDevice(device, "16 seconds");
    expectRfcError(await device.poll(), 400, "authorization_pending");
    // Allowed requests are not delayed.
    await allowDevice(device, client);
    expect((await device.poll()).status).toBe(200);
  });

  test("learns that its user has denied, and that its code has expired", async () => {
    const [denied, expired] = [await beginDevice(client), await beginDevice(client)];
    const visitor = new Visitor();
    const done = await visitor.submit(await toQuestion(visitor, denied, client), { decision: "deny" });
    expect(done.heading).toBe("The device is not signed in");
    expectRfcError(await denied.poll(), 400, "access_denied");
    await ageDevice(expired, "11 minutes");
    expectRfcError(await expired.poll(), 400, "expired_token");
    expect((await typeCode(visitor, expired.userCode)).status).toBe(422);
  });

  test("keeps its tokens when the allowing browser signs out; the user revokes them in the account", async () => {
    const device = await beginDevice(client);
    const visitor = new Visitor();
    await allowDevice(device, client, visitor);
    const { body } = await device.poll();
    await visitor.submit(await visitor.open("/oauth2/logout"));
    const refreshed = await client.refresh(body.refresh_token);
    expect(refreshed.status).toBe(200);
    const admin = await clientOf(client.tenant);
    const path = `/User/${String(decodeJwt(body.access_token).sub).replace("user-", "")}/Grants/${client.id}`;
    expect((await admin.call("DELETE", path)).status).toBe(200);
    expectRfcError(await client.refresh(refreshed.body.refresh_token), 400, "invalid_grant");
  });

  test("gets nothing if all sessions of its user were ended before it polled", async () => {
    const device = await beginDevice(client);
    const visitor = new Visitor();
    await allowDevice(device, client, visitor);
    const admin = await clientOf(client.tenant);
    const { body } = await admin.call("GET", `/User?Username=${client.tenant.admin.username}`);
    expect((await admin.call("DELETE", `/User/${(body.Items as { Id: number }[])[0]!.Id}/Sessions`)).status).toBe(200);
    expectRfcError(await device.poll(), 400, "expired_token");
  });

  test("is served at the RFC door only, with RFC errors", async () => {
    const device = await beginDevice(client);
    const body = form({ ...credentialsOf(client), grant_type: DEVICE_GRANT, device_code: device.deviceCode });
    const answer = await request("POST", "/oAuth/rest/v2/Token", { body });
    expect([answer.status, answer.body.error]).toEqual([400, "Bad Input"]);
  });

  test("is in the audit log", async () => {
    const own = await newDeviceClient();
    const [allowed, denied] = [await beginDevice(own), await beginDevice(own)];
    const visitor = new Visitor();
    await allowDevice(allowed, own, visitor);
    await visitor.submit(await toQuestion(visitor, denied, own), { decision: "deny" });
    const admin = await clientOf(own.tenant);
    for (const Kind of ["Device.Allowed", "Device.Denied"]) {
      const { body } = await admin.call("GET", `/AuditEvent?Kind=${Kind}`);
      expect(body.Items).toMatchObject([{ Details: { ApplicationId: own.id }, Subject: { Type: "User" } }]);
    }
  });
});

describe("its user", () => {
  test("enters the code in any spelling, signs in once, and always sees the application and the code", async () => {
    const visitor = new Visitor();
    for (const spell of [(code: string) => code, (code: string) => code.toLowerCase().replace("-", " ")]) {
      const device = await beginDevice(client, { scope: "openid profile" });
      const view = await typeCode(visitor, spell(device.userCode));
      const question = view.heading === "Sign in" ? await visitor.submit(view, client.tenant.admin) : view;
      expect(question.heading).toBe("Allow access");
      expect(question.html).toContain(device.userCode);
      expect(question.html).toContain("If someone sent you this code or a link, deny it.");
      expect((await visitor.submit(question, { decision: "allow" })).heading).toBe("The device is signed in");
      expect((await device.poll()).status).toBe(200);
    }
  });

  test("must confirm also with the complete address", async () => {
    const device = await beginDevice(client);
    const visitor = await signedIn(client);
    const page = await visitor.open(device.completeUri);
    expect(page.heading).toBe(ENTER);
    expect(page.html).toContain(`value="${device.userCode}"`);
    expectRfcError(await device.poll(), 400, "authorization_pending");
    const question = await visitor.submit(page, { user_code: device.userCode });
    expect(question.heading).toBe("Allow access");
    expectRfcError(await device.poll(), 400, "slow_down");
  });

  test("of a FirstParty application sees it too, and gives no remembered consent", async () => {
    const own = await newDeviceClient({ first_party: true });
    const device = await beginDevice(own);
    const visitor = new Visitor();
    expect((await toQuestion(visitor, device, own)).heading).toBe("Allow access");
    await allowDevice(device, own, visitor);
    expect((await device.poll()).status).toBe(200);
    expect(await rowsOf("consents", { client_id: own.id })).toBeEmpty();
  });

  test("answers once: afterwards neither the page nor its form is valid", async () => {
    const device = await beginDevice(client);
    const visitor = new Visitor();
    const question = await toQuestion(visitor, device, client);
    await visitor.submit(question, { decision: "deny" });
    expect((await visitor.submit(question, { decision: "allow" })).status).toBe(400);
    expectRfcError(await device.poll(), 400, "access_denied");
    expect((await typeCode(visitor, device.userCode)).status).toBe(422);
  });
});

describe("an attack", () => {
  /** The address that continues with a device, as an attacker would link to it. */
  async function continued(device: Device, visitor: Visitor): Promise<string> {
    await typeCode(visitor, device.userCode);
    return visitor.trail.map(({ url }) => new URL(url)).find(({ pathname }) => pathname === "/device/continue")!.href;
  }

  test("with a link to a pending request: the victim is asked, and no other site can answer", async () => {
    const device = await beginDevice(client);
    const victim = await signedIn(client);
    const link = new URL(await continued(device, await signedIn(client)));
    const question = await victim.open(link.pathname + link.search);
    expect(question.heading).toBe("Allow access");
    expect(question.html).toContain(device.userCode);
    // Also with the attacker's prompts.
    for (const prompt of ["none", "login none", ""]) {
      const asked = await victim.open(`${link.pathname + link.search}&prompt=${encodeURIComponent(prompt)}`);
      expect(asked.heading).toMatch(/^(Allow access|Sign in)$/);
    }
    const attacker = await signedIn(client);
    const theirs = await attacker.open(link.pathname + link.search);
    const forged = { ...question.forms[0]!.fields, csrf: theirs.forms[0]!.fields.csrf!, decision: "allow" };
    expect((await victim.post("/consent", forged)).status).toBe(403);
    expectRfcError(await device.poll(), 400, "authorization_pending");
  });

  test("by another client polling with the code: it gets nothing, and the device loses nothing", async () => {
    const device = await beginDevice(client);
    const thief = await otherClient(client, { grant_types: GRANTS });
    const stranger = await newDeviceClient();
    expectRfcError(await device.poll({}, thief), 400, "invalid_grant");
    expectRfcError(await device.poll({}, thief), 400, "invalid_grant");
    await allowDevice(device, client);
    expectRfcError(await device.poll({}, thief), 400, "invalid_grant");
    expectRfcError(await device.poll({}, stranger), 400, "invalid_grant");
    expect((await device.poll()).status).toBe(200);
  });

  test("by a second use: the tokens of the first are revoked and logged", async () => {
    const own = await newDeviceClient();
    const device = await beginDevice(own);
    await allowDevice(device, own);
    const { body } = await device.poll();
    expectRfcError(await device.poll(), 400, "invalid_grant");
    expectRfcError(await own.refresh(body.refresh_token), 400, "invalid_grant");
    const { body: seen } = await postAs(await clientOf(own.tenant), "/oauth2/introspect", { token: body.access_token });
    expect(seen).toEqual({ active: false });
    const { body: log } = await (await clientOf(own.tenant)).call("GET", "/AuditEvent?Kind=DeviceCode.Reused");
    expect(log.Items).toBeArrayOfSize(1);
  });

  test("by concurrent polls: one gets the tokens", async () => {
    const device = await beginDevice(client);
    await allowDevice(device, client);
    const answers = await Promise.all(Array.from({ length: 8 }, () => device.poll()));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ body }) => body.error === "invalid_grant").length).toBeGreaterThanOrEqual(7);
  });

  test("by a user of another organisation, who can sign in only to the client's", async () => {
    const device = await beginDevice(client);
    const foreigner = await newDeviceClient();
    const visitor = await signedIn(foreigner);
    const view = await typeCode(visitor, device.userCode);
    expect(view.heading).toBe("Sign in");
    expect(view.html).not.toContain(device.userCode);
  });

  test("with an invented device_code, reference or form", async () => {
    const device = await beginDevice(client);
    expectRfcError(await device.poll({ device_code: "x".repeat(43) }), 400, "invalid_grant");
    expectRfcError(await device.poll({ device_code: undefined }), 400, "invalid_request");
    const visitor = new Visitor();
    for (const reference of ["", "x", device.userCode, "A".repeat(120)]) {
      expect((await visitor.open(`/device/continue?device=${reference}`)).status).toBe(400);
    }
    expect((await visitor.post("/device", { user_code: device.userCode })).status).toBe(403);
  });

  test("with many unfinished requests: a client and its organisation have limits", async () => {
    const own = await newDeviceClient();
    const other = await otherClient(own, { grant_types: GRANTS });
    const fill = ({ id, tenant }: Client, max: number) => plantDeviceCodes(tenant, id, max);
    const begin = ({ id, tenant }: Client) =>
      request("POST", DEVICE_PATH, { body: form({ client_id: id, client_secret: tenant.client.clientSecret }) });
    await fill(own, MAX_WAITING.client - 1);
    expect((await begin(own)).status).toBe(200);
    expect((await begin(own)).status).toBe(429);
    expect((await begin(other)).status).toBe(200);
    await fill(own, MAX_WAITING.tenant - MAX_WAITING.client - 1);
    expect((await begin(other)).status).toBe(429);
    expect((await begin(client)).status).toBe(200);
    // Expired requests do not count.
    await expire("device_codes", { tenant_id: own.tenant.tenantId });
    expect((await begin(own)).status).toBe(200);
    await removeRows("device_codes", { tenant_id: own.tenant.tenantId });
  });

  test("with many unfinished requests from one address: other addresses are not affected", async () => {
    const own = await newDeviceClient({ client_type: "public" });
    await using behindProxy = await startSecondApi({ TRUST_PROXY: "true" });
    const beginFrom = async (address: string) => {
      const body = form({ client_id: own.id });
      const headers = { "x-forwarded-for": address };
      return (await fetch(behindProxy.url + DEVICE_PATH, { method: "POST", body, headers })).status;
    };
    const statuses = await Promise.all(Array.from({ length: MAX_WAITING.address }, () => beginFrom("203.0.113.51")));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect([await beginFrom("203.0.113.51"), await beginFrom("203.0.113.52")]).toEqual([429, 200]);
  });

  /** @returns the number of wrong codes before a wait */
  async function guesses(visitor: Visitor, headers: Record<string, string> = {}): Promise<number> {
    for (let count = 0; count < 40; count++) {
      const { status } = await typeCode(visitor, "BBBB-BBBB", headers);
      if (status === 429) return count;
      expect(status).toBe(422);
    }
    throw new Error("Nobody has to wait.");
  }

  test("by guessing: a signed-in user has 10 guesses, and others are not delayed", async () => {
    const own = await newDeviceClient();
    const [guesser, owner] = [await signedIn(own), await signedIn(client)];
    // The wait begins after the free attempts.
    expect(await guesses(guesser)).toBe(11);
    const device = await beginDevice(client);
    expect((await typeCode(guesser, device.userCode)).status).toBe(429);
    // A new sign-in does not end the wait.
    const again = await typeCode(await signedIn(own), device.userCode);
    expect(again.status).toBe(429);
    expect((await typeCode(owner, device.userCode)).heading).toBe("Allow access");
  });

  test("by guessing from one address: 20 are free, and a correct one does not reset the count", async () => {
    await using second = await startSecondApi({ TRUST_PROXY: "true" });
    const at = (address: string) => ({ "x-forwarded-for": address });
    const [stranger, neighbour] = [new Visitor(second.url), new Visitor(second.url)];
    const right = async (visitor: Visitor, address: string) =>
      typeCode(visitor, (await beginDevice(client)).userCode, at(address));
    for (let count = 0; count < 10; count++) {
      expect((await typeCode(stranger, "BBBB-BBBB", at("203.0.113.50"))).status).toBe(422);
    }
    expect((await right(stranger, "203.0.113.50")).heading).toBe("Sign in");
    expect(await guesses(stranger, at("203.0.113.50"))).toBe(11);
    const blocked = await right(stranger, "203.0.113.50");
    expect(blocked.status).toBe(429);
    expect(blocked.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(blocked.html).toContain("Too many attempts.");
    // The address counts, not cookies; at a different address there is no wait.
    expect((await right(new Visitor(second.url), "203.0.113.50")).status).toBe(429);
    expect((await right(neighbour, "203.0.113.51")).heading).toBe("Sign in");
  });
});
