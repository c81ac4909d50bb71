// `bun run test/replay/record.ts`: records one history of each missing kind, with a new Gatehouse. Workflows with these
// histories may still be running, so existing histories are kept when workflows/ changes. `gunzip -c` shows one.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { historyToJSON } from "@temporalio/common/lib/proto-utils";
import { REDELIVERY_PROGRESS, type RedeliveryProgress } from "../../workflows/contract.ts";
import { startStack } from "../support/stack.ts";
import { type Api, ok, until } from "../world/api.ts";
import { Client as Application } from "../world/client.ts";
import { setCredentials } from "../world/logouts.ts";
import { newAddress } from "../world/mailbox.ts";
import { type Reply, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const LATER = new Response(null, { status: 503, headers: { "retry-after": "3600" } });
/** Makes a history of each kind in a new tenant. @returns the workflow's id; the workflow must end */
const KINDS: Record<string, (api: Api) => Promise<string>> = {
  delivered: (api) => deliver(api, [200]),
  retried: (api) => deliver(api, [503, 200]),
  exhausted: (api) => deliver(api, [500]),
  cancelled: (api) => deliver(api, [LATER], true),
  redelivered: redeliver,
  probed: probe,
  checked: check,
  "left-beside-a-hanging-one": leaveBesideHanging,
  "posted-slowly": postSlowly,
  "logged-out": logOut,
  mailed: (api) => mail(api, "later"),
  invited: inviteMany,
  "mail-bounced": (api) => mail(api, "bounce"),
  "erased-after-deliveries": (api) => erase(api, "Send"),
  "erased-with-deliveries-cancelled": (api) => erase(api, "Cancel"),
};
/** The summary has its Name for readers, and no other field. */
const GATE = { Name: "Gate", Description: "Opens at six" };
const NOBODY = "worker@localhost";

await using stack = await startStack({ say: console.log, env: { WEBHOOK_PROBE_INTERVAL: "300ms" } });
const client = new Client({ connection: await Connection.connect({ address: stack.temporalAddress }) });
for (const [kind, make] of Object.entries(KINDS)) {
  const file = join(import.meta.dir, "histories", `${kind}.json.gz`);
  if (existsSync(file)) continue;
  await Bun.write(file, Bun.gzipSync(`${await record(await make(await newTenant(stack)))}\n`));
  console.log(`wrote ${file}`);
}
await client.connection.close();

async function record(workflowId: string): Promise<string> {
  const handle = client.workflow.getHandle(workflowId);
  await handle.result().catch(() => {});
  const history = historyToJSON(await handle.fetchHistory());
  // The recording machine's name is removed.
  return history.replaceAll(/\b\d+@[\w.-]+?(?=["-])/g, NOBODY);
}

/** @param name chooses the mail server's answers */
async function mail(api: Api, name: string): Promise<string> {
  const { Id } = await ok(api.call("POST", "/Mail", { To: newAddress(name) }));
  const path = `/Mail/${Id}`;
  return until("the mail to end", async () => {
    const { EndedOn, WorkflowId } = await ok(api.get(path));
    return EndedOn && String(WorkflowId);
  });
}

async function inviteMany(api: Api): Promise<string> {
  const { Id } = await ok(api.call("POST", "/InvitationImport", { Csv: `Email\n${newAddress()}\n${newAddress()}\n` }));
  return until("the import to end", async () => {
    const { EndedOn, WorkflowId } = await ok(api.get(`/InvitationImport/${Id}`));
    return EndedOn && String(WorkflowId);
  });
}

async function deliver(api: Api, replies: Reply[], cancel = false): Promise<string> {
  await using receiver = startReceiver(replies, { dataDir: stack.dataDir });
  await Promise.all([1, 2].map(() => api.connect(receiver.url)));
  await api.change(GATE);
  if (cancel) {
    await until("both to wait", () => receiver.calls.length === 2);
    await client.workflow.getHandle((await api.newestEvent()).WorkflowId).cancel();
  }
  return (await api.settledEvent()).WorkflowId;
}

/** Two deliveries fail beside a hanging post and get their own workflows. @returns the first of these */
async function leaveBesideHanging(api: Api): Promise<string> {
  await using hanging = startReceiver(["hang", 200], { dataDir: stack.dataDir });
  await using failing = startReceiver([503, 503, 200], { dataDir: stack.dataDir });
  for (const { url } of [hanging, failing, failing]) await api.connect(url);
  await api.change(GATE);
  const { WorkflowId: own, Deliveries } = await api.settledEvent();
  return Deliveries.map(({ WorkflowId }) => WorkflowId).find((id) => id !== own) as string;
}

/**
 * To a slow receiver, from the queue: in its own workflow, whose first post fails. The summary has its records' names.
 */
async function postSlowly(api: Api): Promise<string> {
  const slow = () => Bun.sleep(1_500).then(() => 200);
  await using receiver = startReceiver(
    ({ payload, count }) => (payload.Data.Name === "Slow" ? slow() : count === 1 ? 503 : 200),
    { dataDir: stack.dataDir },
  );
  await api.connect(receiver.url);
  await api.change({ ...GATE, Name: "Slow" });
  await api.settledEvent();
  await api.change({ ...GATE, Name: "Next" });
  return (await api.settledEvent()).Deliveries[0]!.WorkflowId;
}

/** A logout of a session with an application, delivered at the second attempt. */
async function logOut(api: Api): Promise<string> {
  await using receiver = startReceiver([503, 200], { dataDir: stack.dataDir });
  const application = new Application(api.tenant);
  await setCredentials(api, application, { BackchannelLogoutUri: receiver.url });
  const visitor = new Visitor(stack.url);
  await application.code(visitor);
  await visitor.submit(await visitor.open("/oauth2/logout"));
  await until("both posts", () => receiver.calls.length === 2);
  const query = `TenantId = "${api.tenantId}" and WorkflowType = "deliverLogout"`;
  return until("the workflow to be found", async () => {
    for await (const { workflowId } of client.workflow.list({ query })) return workflowId;
    return undefined;
  });
}

/** Of a User whose held deliveries it first waits for: they are sent, or cancelled by choice. */
async function erase(api: Api, deliveries: "Send" | "Cancel"): Promise<string> {
  await using receiver = startReceiver([503, 200], { dataDir: stack.dataDir });
  const { Id: connection } = await api.connect(receiver.url, { Entities: ["User"], State: "Paused" });
  const user = await api.made("User", { Username: "ana" });
  const ask = (Deliveries: string) => api.call<{ Id: string }>("POST", `/User/${user.Id}/Erase`, { Deliveries });
  const { Id } = (await ask("Send")).body;
  await until("it to wait", async () => (await api.get(`/Erasure/${Id}`)).body.Waiting > 0);
  if (deliveries === "Cancel") await ask("Cancel");
  else await api.setState(connection, "Active");
  await until("it to end", async () => (await api.get(`/Erasure/${Id}`)).body.State === "Completed");
  return `User/${user.Id}/Erase/${Id}`;
}

/** Paused and resumed, and at the end with a retry to wait for. */
async function redeliver(api: Api): Promise<string> {
  await using receiver = startReceiver(
    ({ payload, count }) => (count === 2 && payload.Data.Name === "Gate 3" ? 503 : 200),
    { dataDir: stack.dataDir },
  );
  const { Id: ConnectionId } = await api.connect(receiver.url);
  for (const Name of ["Gate 1", "Gate 2", "Gate 3"]) await api.change({ Name });
  await until("all to arrive", async () => (await api.events("State=Delivered")).Items.length === 3);
  const { Id, WorkflowId } = await api.replay({ ConnectionId, States: ["Delivered"], Rate: 1 });
  await until("the first", () => receiver.calls.length === 4);
  await api.changeRedelivery(Id, { State: "Paused" });
  await until("it to rest", async () => {
    const progress = await client.workflow.getHandle(WorkflowId).query<RedeliveryProgress>(REDELIVERY_PROGRESS);
    return progress?.state === "Paused";
  });
  await api.changeRedelivery(Id, { State: "Running", Rate: 50 });
  await api.endedRedelivery(Id);
  return WorkflowId;
}

async function check(api: Api): Promise<string> {
  await using receiver = startReceiver(undefined, { dataDir: stack.dataDir });
  const { Id } = await api.connect(receiver.url);
  const path = `/WebhookConnection/${Id}/Check`;
  await ok(api.call("POST", path));
  await until("the check to end", async () => (await ok(api.get(path))).State === "Completed");
  const { Items } = await ok(api.get("/AuditEvent?Kind=WebhookConnection.Pinged"));
  return `WebhookConnection/${Id}/Check/${Items[0].Details.Check}`;
}

/** Without a delivery to probe with, then with a failed and a successful probe. */
async function probe(api: Api): Promise<string> {
  await using receiver = startReceiver(
    ({ payload, count }) => (payload.Data.Name === "Gate 1" || count === 1 ? 410 : 200),
    {
      dataDir: stack.dataDir,
    },
  );
  const { Id } = await api.connect(receiver.url);
  const workflowId = `WebhookConnection/${Id}/Probe`;
  await api.change({ Name: "Gate 1" });
  await until("it to be looked after", () =>
    client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined),
  );
  await api.change({ Name: "Gate 2" });
  await until("the probe to arrive", async () => (await api.connection(Id)).State === "Active");
  return workflowId;
}
