import { BadInput } from "../../errors.ts";
import { printable } from "../../http/body.ts";
import { isSecret, secretFieldProblem } from "../connections/input.ts";

/** A week. */
export const MOST_OVERLAP_SECONDS = 604_800;

export interface StagingInput {
  /** Undefined: one is to be generated. */
  secret?: string;
  /** Undefined: as WEBHOOK_SECRET_OVERLAP says. */
  overlapSeconds?: number;
}

/**
 * What POST WebhookConnection/{Id}/Secret takes; null is as good as absent.
 * @throws BadInput naming every field that does not fit
 */
export function parseStaging(body: unknown): StagingInput {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new BadInput("The body must be one object, which may be empty.");
  }
  const { Secret = null, OverlapSeconds = null, ...others } = body as Record<string, unknown>;
  const problems = Object.keys(others).map((name) => `${printable(name)} is no field of a new Secret.`);
  if (Secret !== null && !isSecret(Secret)) problems.push(secretFieldProblem(Secret));
  if (OverlapSeconds !== null && !isOverlap(OverlapSeconds)) {
    problems.push(`OverlapSeconds must be a whole number from 0 to ${MOST_OVERLAP_SECONDS}, or null.`);
  }
  if (problems.length > 0) throw BadInput.of(problems);
  return {
    secret: (Secret as string | null) ?? undefined,
    overlapSeconds: (OverlapSeconds as number | null) ?? undefined,
  };
}

function isOverlap(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_OVERLAP_SECONDS;
}
