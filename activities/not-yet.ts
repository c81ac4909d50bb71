import { ApplicationFailure } from "@temporalio/common";
import { NOT_YET } from "../workflows/contract.ts";

/** No attempt, and nobody's failure: it is to be asked again. */
export function notYet(waitMs: number): ApplicationFailure {
  const wait = Math.round(waitMs);
  const failure = ApplicationFailure.create({
    message: "there was no place for it",
    type: NOT_YET,
    nextRetryDelay: wait,
    // The delay itself does not come through to a workflow.
    details: [wait],
  });
  failure.stack = "";
  return failure;
}
