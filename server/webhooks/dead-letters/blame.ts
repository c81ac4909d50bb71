// Whose turn it is, when a receiver has not got what it was to get.

import type { ConnectionState } from "../connections/store.ts";

export const BLAMES = ["Receiver", "Configuration", "Ours"] as const;
/** Configuration: the connection's own settings, or those of the address it names. */
export type Blame = (typeof BLAMES)[number];

/** Failures that trying again cannot mend: somebody has to change the URL, a certificate or EGRESS_ALLOW. */
const CONFIGURATION_FAILURES = ["dns", "tls", "blocked-address"];
/** That nothing is there, or not for us: a redirect is not followed, and 401 and 403 ask for another ApiKey or header. */
const CONFIGURATION_STATUS = /^(3\d\d|401|403|404|405|407|410|415|421|426)$/;
const OUR_FAILURES = ["lost", "cancelled"];

/** @param reason a status, or a failure's word */
export function blameForAttempt(reason: string | null): Blame {
  if (reason === null || OUR_FAILURES.includes(reason)) return "Ours";
  if (CONFIGURATION_FAILURES.includes(reason) || CONFIGURATION_STATUS.test(reason)) return "Configuration";
  return "Receiver";
}

/**
 * Of deliveries that wait for their connection: why they do, by what it is now.
 * @param heldReason begins with 410, or ends in what the last attempt came to
 */
export function blameForHeld(
  state: ConnectionState,
  heldReason: string | null,
  drainPaused: boolean,
): { blame: Blame; reason: string } {
  if (state === "Active" && drainPaused) return { blame: "Configuration", reason: "drain paused" };
  if (state === "Paused") return { blame: "Configuration", reason: "paused" };
  // It takes posts again, and what it has missed is being sent.
  if (state === "Active") return { blame: "Ours", reason: "draining" };
  const reason = heldReason ?? "410 Gone";
  return { blame: blameForAttempt(/^410|\S+$/.exec(reason)![0]), reason };
}
