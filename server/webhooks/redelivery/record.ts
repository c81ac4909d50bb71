import { NotFound } from "../../errors.ts";
import { isUuid } from "../../http/query.ts";
import type { RedeliveryId } from "../../ids.ts";
import type { ConnectionState } from "../connections.store.ts";
import type { WorkflowUrl } from "../workflow-url.ts";
import type { Redelivery, RedeliveryKind } from "./store.ts";

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

/** A redelivery in its response shape, without its workflow's address. */
export function toRedeliveryRecord(redelivery: Redelivery) {
  const reason = redelivery.state === "Running" ? reasonToWait(redelivery) : undefined;
  return {
    Id: redelivery.id,
    ConnectionId: redelivery.connectionId,
    Kind: redelivery.kind,
    From: redelivery.from?.toISOString() ?? null,
    To: redelivery.to?.toISOString() ?? null,
    States: redelivery.states,
    Rate: redelivery.rate,
    State: redelivery.state,
    Reason: reason ? `waits for ${reason}` : null,
    Total: redelivery.total,
    Skipped: redelivery.skipped,
    Done: redelivery.done,
    Delivered: redelivery.delivered,
    Exhausted: redelivery.exhausted,
    CreatedOn: redelivery.createdOn.toISOString(),
    EndedOn: redelivery.endedOn?.toISOString() ?? null,
  };
}

export type LocatedRedelivery = ReturnType<typeof located>;

export function located(redelivery: Redelivery, workflowUrl: WorkflowUrl) {
  const workflowId = redeliveryWorkflowId(redelivery);
  return { ...toRedeliveryRecord(redelivery), WorkflowId: workflowId, WorkflowUrl: workflowUrl(workflowId) };
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
