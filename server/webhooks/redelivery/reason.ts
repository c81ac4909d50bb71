import type { ConnectionState } from "../connections/store.ts";
import type { RedeliveryKind } from "./store.ts";

/** Why a redelivery that is Running sends nothing just now; undefined: it does. */
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
