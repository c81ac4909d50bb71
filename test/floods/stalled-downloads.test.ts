// Downloads whose reader does not read: they end, and one caller's leave a tenant's exports to others.

import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { API, expectError, ok, until } from "../world/api.ts";
import { newClient } from "../world/client.ts";
import { type Person, signedIn } from "../world/person.ts";
import { plantEntries } from "../world/rows.ts";
import { clientOf, newMember, shared } from "../world/tenant.ts";

/** For 30 s, and more while other tests run. */
const PATIENCE_MS = 150_000;
/** Every operation of the API that answers with a file. */
const FILE_OPERATIONS = ["/AuditEvent/Export", "/Redelivery/{Id}/Deliveries/Export", "/User/{Id}/Export"];
const TOO_MANY = (holder: string, name: string) =>
  new RegExp(`^${holder} \\d+ ${name} in progress, the maximum\\. Try again when these have ended\\.$`);

/** Audit entries about a User that do not fit into the buffers of the sockets, also when compressed. */
const fillAudit = (tenantId: string, userId: unknown) =>
  plantEntries(tenantId, 30_000, {
    ...{ kind: "SignIn.Failed", outcome: "Failure", details: { Reason: "WrongPassword" } },
    ...{ userAgent: null, userId: String(userId) },
  });

/** Sends a request and reads only the status. */
async function begin(head: string[], body = ""): Promise<Socket> {
  const { hostname, port } = new URL(shared().url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined);
  socket.write([...head, "Host: localhost", "", body].join("\r\n"));
  await until("a byte of the answer", () => socket.readableLength > 0 || !socket.writable);
  const status = socket.read().toString("latin1").split("\r\n", 1)[0];
  if (status === "HTTP/1.1 200 OK") return socket;
  socket.destroy();
  throw new Error(status);
}

const beginApi = ({ token }: { token: string }, path: string) =>
  begin([`GET ${API}${path} HTTP/1.1`, `Authorization: Bearer ${token}`]);

async function beginOwn({ visitor, client }: Person): Promise<Socket> {
  const page = await visitor.open("/account/data");
  const { password } = client.tenant.admin;
  const body = new URLSearchParams({ ...page.forms[0]!.fields, password }).toString();
  return begin(
    [
      "POST /account/data HTTP/1.1",
      `Cookie: ${visitor.cookieHeader}`,
      `Origin: ${visitor.origin}`,
      "Content-Type: application/x-www-form-urlencoded",
      `Content-Length: ${body.length}`,
    ],
    body,
  );
}

/** Reads the rest, which is not complete: the server has reset the connection. */
async function expectCutOff(socket: Socket): Promise<void> {
  let last = "";
  socket.on("data", (bytes) => {
    last = (last + bytes.toString("latin1")).slice(-5);
  });
  await until("the end of the connection", () => socket.destroyed);
  // The end of a chunked body (RFC 9112 7.1).
  expect(last).not.toBe("0\r\n\r\n");
}

test("a download that is not read ends after 30 s, and until then leaves others their exports", async () => {
  const document = await (await fetch(`${shared().url}/openapi.json`)).json();
  const files = Object.entries<{ get?: { responses: Record<string, { content?: object }> } }>(document.paths).filter(
    ([, { get }]) => Object.keys(get?.responses["200"]?.content ?? {}).some((type) => !type.endsWith("json")),
  );
  expect(files.map(([path]) => path.replace(API, "")).toSorted()).toEqual(expect.arrayContaining(FILE_OPERATIONS));

  const person = await signedIn(await newClient({ first_party: true }));
  const admin = await clientOf(person.client.tenant);
  const other = await newMember(admin, "admin");
  const { Id } = await ok(admin.get("/User/admin?Name=Username"));
  await fillAudit(admin.tenantId, Id);
  const user = `/User/${Id}/Export`;
  const audit = "/AuditEvent/Export";

  const kinds = [
    {
      place: () => beginOwn(person),
      refuse: () => expect(beginOwn(person)).rejects.toThrow("HTTP/1.1 429"),
    },
    ...[
      { path: user, name: "exports of a person" },
      { path: audit, name: "exports" },
    ].map(({ path, name }) => ({
      place: () => beginApi(admin, path),
      async refuse() {
        expectError(await admin.get(path), 429, "Too Many Requests", TOO_MANY("This caller has", name));
        // Another caller of the tenant still has its share.
        const theirs = await until("the other's export", () => beginApi(other, path).catch(() => undefined));
        theirs.destroy();
      },
    })),
  ];
  const all = kinds.map(async ({ place, refuse }) => {
    const began = performance.now();
    const own = [await place(), await place()];
    await refuse();
    // Both at once, because a download that is not yet cut off would complete when it is read.
    const first = await until("a free place", () => place().catch(() => undefined), PATIENCE_MS);
    const second = await until("both places", () => place().catch(() => undefined), PATIENCE_MS);
    expect(performance.now() - began).toBeGreaterThan(29_000);
    first.destroy();
    second.destroy();
    for (const socket of own) await expectCutOff(socket);
  });
  await Promise.all(all);
});
