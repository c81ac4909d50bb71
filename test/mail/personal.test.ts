// Links of mails, and the mails of a person who leaves.

import { expect, test } from "bun:test";
import { unzipSync } from "fflate";
import type { TenantId } from "../../server/platform/ids.ts";
import { API, type Api, ok, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { arrived, mailsTo, newAddress } from "../world/mailbox.ts";
import { recordMails } from "../world/mails.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const HOUR_MS = 3_600_000;

const newUser = async (api: Api, Email: string) =>
  Number((await ok(api.call("POST", "/User", { Name: "Ana", Username: Bun.randomUUIDv7(), Email }))).Id);

const resetOf = (api: Api, to: string, userId: number, inMs = HOUR_MS) => ({
  tenantId: api.tenantId as TenantId,
  kind: "ForgottenPassword" as const,
  to,
  userId,
  values: {
    name: "Ana",
    link: `${issuer()}/reset?token=${Bun.randomUUIDv7()}`,
    expiresOn: new Date(Date.now() + inMs),
  },
});
const stateOf = async (api: Api, id: string) => String((await ok(api.get(`/Mail/${id}`))).State);

test("the link is only in the mail: not in the API, and no longer in the database", async () => {
  const api = await newTenant();
  const address = newAddress();
  const reset = resetOf(api, address, await newUser(api, address));
  const [id] = await recordMails([reset]);
  const [mail] = await arrived(address);
  expect(mail.link).toBe(reset.values.link);
  await until("the mail to be Sent", async () => (await stateOf(api, id!)) === "Sent");
  const [row] = await rowsOf("mails", { id });
  expect(row).toMatchObject({ content: null });
  const answers = await Promise.all(["/Mail", `/Mail/${id}`, "/AuditEvent"].map((path) => api.get(path)));
  expect(JSON.stringify([row, ...answers.map(({ body }) => body)])).not.toContain(reset.values.link.split("=")[1]!);
});

test("a mail is not sent after its link has expired, or to text that is no address", async () => {
  const api = await newTenant();
  const [address, text] = [newAddress(), `ana, ${newAddress()}`];
  const userId = await newUser(api, address);
  const [late, wrong] = await recordMails([resetOf(api, address, userId, -1), resetOf(api, text, userId)]);
  const reasons = await until("both to fail", async () => {
    const mails = await Promise.all([late, wrong].map((id) => ok(api.get(`/Mail/${id}`))));
    return mails.every(({ State }) => State === "Failed") && mails.map(({ Reason }) => Reason);
  });
  expect(reasons).toEqual(["expired", "not an address"]);
  expect(await mailsTo(address)).toEqual([]);
});

test("an export has a person's mails, and an erasure removes them and those to the address", async () => {
  const api = await newTenant();
  const address = newAddress();
  const userId = await newUser(api, address);
  const [id] = await recordMails([resetOf(api, address, userId)]);
  const { Id: invited } = await ok(api.call("POST", "/Mail", { To: address.toUpperCase() }));
  const [other] = await recordMails([resetOf(api, newAddress(), userId + 1)]);
  await arrived(address);
  const answer = await fetch(`${issuer()}${API}/User/${userId}/Export`, {
    headers: { authorization: `Bearer ${api.token}` },
  });
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  const exported = JSON.parse(new TextDecoder().decode(files["Mails.json"])) as object[];
  expect(exported).toMatchObject([{ Id: id, Kind: "ForgottenPassword", To: address }]);
  await ok(api.call("POST", `/User/${userId}/Erase`, { Deliveries: "Cancel" }));
  const isGone = async (one: unknown) => (await api.get(`/Mail/${one}`)).status === 404;
  await until("the mails to be erased", async () => (await isGone(id)) && (await isGone(invited)));
  expect(await stateOf(api, other!)).toMatch(/Sent|Waiting/);
});
