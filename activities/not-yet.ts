import { ApplicationFailure } from "@temporalio/common";
import { NOT_YET } from "../workflows/contract.ts";

/** No attempt, and nobody's failure: the activity is to be asked again. */
export function notYet(waitMs: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    message: "its turn is yet to come",
    type: NOT_YET,
    nextRetryDelay: Math.round(waitMs),
  });
  failure.stack = "";
  return failure;
}

export function isNotYet(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === NOT_YET;
}
