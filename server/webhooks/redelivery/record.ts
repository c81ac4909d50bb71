import { NotFound } from "../../platform/errors.ts";
import { isUuid } from "../../platform/http/query.ts";
import type { RedeliveryId } from "../../platform/ids.ts";
import type { ConnectionState } from "../connections.store.ts";
import type { WorkflowUrl } from "../workflow-url.ts";
import { REDELIVERY, type RedeliveryKind } from "./contract.ts";
import type { Redelivery } from "./store.ts";

export function noRedelivery(): NotFound {
  return new NotFound("There is no Redelivery with this Id.");
}

/** Parses an Id in a path. @throws NotFound */
export function toRedeliveryId(text: string): RedeliveryId {
  if (!isUuid<RedeliveryId>(text)) throw noRedelivery();
  return text;
}

type Named = Pick<Redelivery, "id" | "connectionId" | "kind">;

/** @example "WebhookConnection/0197…/Drain/5b0d…" */
export function redeliveryWorkflowId({ id, connectionId, kind }: Named): string {
  return `WebhookConnection/${connectionId}/${kind}/${id}`;
}

export function located(redelivery: Redelivery, workflowUrl: WorkflowUrl) {
  const WorkflowId = redeliveryWorkflowId(redelivery);
  const reason = redelivery.state === "Running" ? reasonToWait(redelivery) : undefined;
  const Reason = reason ? `waits for ${reason}` : null;
  return REDELIVERY.toRecord(redelivery, { Reason, WorkflowId, WorkflowUrl: workflowUrl(WorkflowId) });
}

/** Why a Running redelivery sends nothing at present; undefined: it sends. */
export function reasonToWait(redelivery: {
  kind: RedeliveryKind;
  connectionState: ConnectionState;
  draining: boolean;
}): string | undefined {
  const { kind, connectionState, draining } = redelivery;
  if (connectionState !== "Active") return `its connection, which is ${connectionState}`;
  if (kind === "Replay" && draining) return "its connection's Drain";
  return undefined;
}
