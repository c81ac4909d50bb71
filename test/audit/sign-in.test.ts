// Audit entries of sign-ins and sign-outs; a flood of failures does not fill the log.

import { describe, expect, test } from "bun:test";
import { FAILURES_PER_HOUR } from "../../server/records/audit/write.ts";
import type { Api } from "../world/api.ts";
import { fromHere, kindsOf, logOf, textOf } from "../world/audit.ts";
import { type Client, newClient } from "../world/client.ts";
import { plantUser, removePasswords, setUsers } from "../world/planted.ts";
import { expire, plantEntries } from "../world/rows.ts";
import { clientOf } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

/** A client, and its tenant's admin as User and as reader of the log. */
async function arrange() {
  const client = await newClient();
  const reader = await clientOf(client.tenant);
  const { body } = await reader.get(`/User/${client.tenant.admin.username}?Name=Username`);
  return { client, reader, user: { Type: "User", Id: String(body.Id) } };
}

async function attempt(client: Client, fields: Record<string, string>, visitor = new Visitor()): Promise<View> {
  return visitor.submit(await visitor.open(client.authorize()), fields);
}

describe.concurrent("a sign-in", () => {
  test("that succeeds is logged with the consent and the sign-out: actor, application and how", async () => {
    const { client, reader, user } = await arrange();
    const visitor = new Visitor();
    const { body } = await client.token(await client.code(visitor));
    await visitor.open(`/oauth2/logout?id_token_hint=${body.id_token}`);

    const by = { Actor: user, Subject: user, Outcome: "Success", ...fromHere(client.id) };
    expect((await logOf(reader)).reverse()).toMatchObject([
      { Kind: "SignIn.Succeeded", ...by, Details: { Amr: ["pwd"], Acr: "1" } },
      { Kind: "Consent.Given", ...by, Details: { ApplicationId: client.id, Scopes: ["openid", "profile"] } },
      { Kind: "SignOut", ...by, ClientId: null },
    ]);
    const text = await textOf(reader.tenantId);
    const cookies = [...visitor.cookies.values()];
    const { access_token, refresh_token, id_token } = body;
    for (const value of [client.tenant.admin.password, access_token, refresh_token, id_token, ...cookies]) {
      expect(text).not.toContain(value);
    }
  });

  test("with a wrong password has no actor and the user as subject", async () => {
    const { client, reader, user } = await arrange();
    await attempt(client, { username: "admin", password: "not the password" });
    expect(await logOf(reader)).toEqual([
      {
        Id: expect.any(String),
        OccurredOn: expect.any(String),
        Kind: "SignIn.Failed",
        Outcome: "Failure",
        Actor: null,
        Subject: user,
        Details: { Reason: "WrongPassword" },
        ...fromHere(client.id),
      },
    ]);
    expect(await textOf(reader.tenantId)).not.toContain("not the password");
  });

  test("of an unknown user omits the typed name, which may be a password", async () => {
    const { client, reader } = await arrange();
    await attempt(client, { username: "my password by mistake", password: "x" });
    expect(await logOf(reader)).toMatchObject([
      { Kind: "SignIn.Failed", Actor: null, Subject: null, Details: { Reason: "UnknownUser" } },
    ]);
    expect(await textOf(reader.tenantId)).not.toContain("mistake");
  });

  test.each([
    ["InactiveUser", (tenantId: string) => setUsers({ tenantId }, { is_active: false })],
    ["NoPassword", (tenantId: string) => removePasswords({ tenantId })],
    [
      "AmbiguousUser",
      async (tenantId: string) => {
        await removePasswords({ tenantId });
        await plantUser({ tenantId }, { username: "admin" });
      },
    ],
  ])("with the right password is logged with the reason it failed: %s", async (Reason, spoil) => {
    const { client, reader } = await arrange();
    await spoil(reader.tenantId);
    await attempt(client, client.tenant.admin);
    expect(await logOf(reader)).toMatchObject([{ Kind: "SignIn.Failed", Details: { Reason } }]);
  });

  test("as another user than requested has failed", async () => {
    const { client, reader, user } = await arrange();
    const visitor = new Visitor();
    const { body } = await client.token(await client.code(visitor));
    const { password } = client.tenant.admin;
    await plantUser(reader, { username: "ada" }, password);
    const other = new Visitor();
    const page = await other.open(client.authorize({ id_token_hint: body.id_token }));
    await other.submit(page, { username: "ada", password });
    const [failed] = await logOf(reader);
    expect(failed).toMatchObject({ Kind: "SignIn.Failed", Details: { Reason: "NotTheUserAskedFor" } });
    expect(failed!.Subject).not.toEqual(user);
  });

  test("has the request key and a shortened user agent", async () => {
    const { client, reader } = await arrange();
    const visitor = new Visitor();
    const page = await visitor.open(client.authorize());
    const RequestKey = crypto.randomUUID();
    const headers = { "x-request-id": RequestKey, "user-agent": "A".repeat(1_000) };
    await visitor.submit(page, { username: "admin", password: "wrong" }, headers);
    expect(await logOf(reader)).toMatchObject([{ RequestKey, UserAgent: "A".repeat(300) }]);
  });
});

describe.concurrent("a flood of failures", () => {
  test("is one SignIn.Throttled for each block", async () => {
    const { client, reader, user } = await arrange();
    const wrong = { username: "admin", password: "wrong" };
    const visitor = new Visitor();
    for (let made = 0; made < 6; made++) await attempt(client, wrong, visitor);
    const blocked = await Promise.all([1, 2, 3, 4].map(() => attempt(client, wrong)));
    expect(blocked.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    const failed = Array.from({ length: 6 }, () => "SignIn.Failed");
    expect(await kindsOf(reader)).toEqual([...failed, "SignIn.Throttled"]);
    expect((await logOf(reader))[0]).toMatchObject({ Outcome: "Failure", Actor: null, Subject: user });

    await expire("signin_failures", { tenant_id: reader.tenantId }, "blocked_until");
    for (let made = 0; made < 3; made++) await attempt(client, wrong, visitor);
    expect(await kindsOf(reader)).toEqual([...failed, "SignIn.Throttled", "SignIn.Failed", "SignIn.Throttled"]);
  });

  test("from everywhere is logged up to an hourly limit, with one row that says so", async () => {
    const { client, reader } = await arrange();
    await hadFailures(reader, FAILURES_PER_HOUR - 1);
    for (const name of ["one", "two", "three"]) await attempt(client, { username: name, password: "wrong" });
    const kinds = ["SignIn.Failed", "Failures.Omitted"];
    const newest = await logOf(reader, `From=${new Date(Date.now() - 60_000).toISOString()}`);
    expect(newest.map(({ Kind }) => Kind).reverse()).toEqual(kinds);
    expect(newest[0]).toMatchObject({ Details: { MostPerHour: FAILURES_PER_HOUR }, Subject: null });

    await client.visit(new Visitor());
    expect((await kindsOf(reader)).slice(-2)).toEqual(["SignIn.Succeeded", "Consent.Given"]);
  });

  test("no longer counts after an hour", async () => {
    const { client, reader } = await arrange();
    await hadFailures(reader, FAILURES_PER_HOUR, "61 minutes");
    await attempt(client, { username: "admin", password: "wrong" });
    expect((await logOf(reader, "Kind=SignIn.Failed"))[0]).toMatchObject({ Details: { Reason: "WrongPassword" } });
  });

  test("with an impossible user name is not logged", async () => {
    const { client, reader } = await arrange();
    for (const username of ["", "x".repeat(2_000)]) await attempt(client, { username, password: "x" });
    expect(await logOf(reader)).toEqual([]);
  });
});

/** Inserts more failures than a test can make by requests. */
const hadFailures = ({ tenantId }: Api, count: number, ago = "10 minutes") =>
  plantEntries(tenantId, count, { kind: "SignIn.Failed", outcome: "Failure", ago });
