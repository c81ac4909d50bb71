// Clients that fail to authenticate.

import { describe, expect, test } from "bun:test";
import pino from "pino";
import { createOnRefusedClient, MAX_ROWS_WAITING } from "../../server/identity/oauth/clients/client-authentication.ts";
import { connect } from "../../server/platform/db/sql.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { type Api, ok, TOKEN_PATH, until } from "../world/api.ts";
import { type AuditEvent, fromHere, logOf, textOf } from "../world/audit.ts";
import { postAs } from "../world/grants.ts";
import { rowsOf } from "../world/rows.ts";
import { db, newTenant, request, shared } from "../world/tenant.ts";

const KIND = "Kind=ClientAuthentication.Failed";

/** An Application with a secret, and the tenant's own client as the reader. */
async function arrange(): Promise<{ reader: Api; client: { clientId: string; clientSecret: string } }> {
  const reader = await newTenant();
  const { Id } = await reader.made("Application", { Name: "Payroll", Is_Active: true });
  await ok(reader.patch(`/Application/${Id}/Credentials`, { GrantTypes: ["client_credentials"] }));
  const { Secret } = await ok(reader.send("POST", `/Application/${Id}/Secrets`));
  return { reader, client: { clientId: Id, clientSecret: Secret } };
}

/** Waits for the row, because the answer does not. */
async function refusalsOf(reader: Api, count = 1): Promise<AuditEvent[]> {
  return until("the rows", async () => {
    const rows = await logOf(reader, KIND);
    return rows.length >= count && rows;
  });
}

const grant = { grant_type: "client_credentials" };
const about = (clientId: string) => ({
  Outcome: "Failure",
  Actor: null,
  Subject: { Type: "Application", Id: clientId },
  ...fromHere(clientId),
});

describe.concurrent("a client that fails to authenticate", () => {
  test.each([
    ["/oauth2/token", grant],
    ["/oauth2/revoke", { token: "x" }],
    ["/oauth2/introspect", { token: "x" }],
    [TOKEN_PATH, grant],
  ])("at %s is logged, without the values it sent", async (path, form) => {
    const { reader, client } = await arrange();
    const guess = { ...client, clientSecret: "a-wrong-secret" };
    expect((await postAs(guess, path, form)).status).toBeOneOf([400, 401]);
    expect(await refusalsOf(reader)).toMatchObject([
      { ...about(client.clientId), Details: { Reason: "WrongSecret", Times: 1 } },
    ]);
    expect(await textOf(reader.tenantId)).not.toContain("a-wrong-secret");
  });

  test("repeatedly is logged once a minute", async () => {
    const { reader, client } = await arrange();
    for (let tried = 0; tried < 5; tried++) await postAs({ ...client, clientSecret: "guess" }, "/oauth2/token", grant);
    expect(await refusalsOf(reader)).toBeArrayOfSize(1);
    expect((await postAs(client, "/oauth2/token", grant)).status).toBe(200);
  });

  test("is logged again after a minute, with the number of failures in between", async () => {
    const { reader, client } = await arrange();
    const { id, tenantId } = { id: Number(client.clientId), tenantId: reader.tenantId as TenantId };
    let minutes = 0;
    const onRefused = createOnRefusedClient(db(), pino({ enabled: false }), () => minutes * 60_000);
    const refused = (at: number) => {
      minutes = at;
      onRefused(new Request("http://localhost"), { id, tenantId }, "WrongSecret");
    };
    for (const at of [0, 0.2, 0.5, 0.9, 1.1, 5]) refused(at);
    const times = (await refusalsOf(reader, 3)).map(({ Details }) => Details.Times);
    expect(times).toEqual([1, 4, 1]);
  });

  test("while many rows wait for PostgreSQL is counted in its next row, and the queue does not grow", async () => {
    const { reader, client } = await arrange();
    const tenantId = reader.tenantId as TenantId;
    const sql = connect(shared().databaseUrl, "gatehouse test", 1);
    const only = await sql.reserve();
    const onRefused = createOnRefusedClient(sql, pino({ enabled: false }), () => 0);
    const refused = (id: number) => onRefused(new Request("http://localhost"), { id, tenantId }, "WrongSecret");
    const last = Number(client.clientId);
    for (let other = 1; other <= MAX_ROWS_WAITING; other++) refused(last + other);
    for (let tried = 0; tried < 3; tried++) refused(last);
    only.release();
    const written = async () =>
      (await rowsOf("audit_log", { tenant_id: tenantId, kind: "ClientAuthentication.Failed" })).length;
    await until("the rows that waited", async () => (await written()) === MAX_ROWS_WAITING);
    await until("the client's next row", async () => {
      refused(last);
      return (await written()) > MAX_ROWS_WAITING;
    });
    const [row] = await logOf(reader, `${KIND}&SubjectType=Application&SubjectId=${last}`);
    expect(row!.Details.Times).toBeGreaterThanOrEqual(4);
    await sql.end();
  });

  test("without a secret or with an inactive Application is logged with that reason", async () => {
    const [silent, inactive] = [await arrange(), await arrange()];
    const { clientId: client_id } = silent.client;
    await request("POST", "/oauth2/token", { body: new URLSearchParams({ ...grant, client_id }) });
    expect(await refusalsOf(silent.reader)).toMatchObject([{ Details: { Reason: "NoSecret" } }]);
    await inactive.reader.made("Application", { Id: inactive.client.clientId, Is_Active: false });
    await postAs(inactive.client, "/oauth2/token", grant);
    expect(await refusalsOf(inactive.reader)).toMatchObject([{ Details: { Reason: "InactiveApplication" } }]);
  });

  test("with an unknown id is not logged", async () => {
    const stranger = { clientId: "999999999", clientSecret: "guess" };
    expect((await postAs(stranger, "/oauth2/token", grant)).status).toBe(401);
    const rows = await rowsOf("audit_log", { client_id: stranger.clientId });
    expect(rows).toBeArrayOfSize(0);
  });
});
