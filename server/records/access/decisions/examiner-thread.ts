// The worker that examines policies. It receives the record types first, then one job at a time.

import { parentPort } from "node:worker_threads";
import { createExamine, type Examine } from "./examine.ts";
import { cedarSchema, type ResourceType } from "./resource-type.ts";

export type Task = { check: string } | { weigh: string[] };
export type ExaminerReply = { done: unknown } | { failed: string };

let examine: Examine | undefined;

parentPort!.on("message", (data: { types: ResourceType[] } | Task) => {
  try {
    if ("types" in data) {
      examine = createExamine(cedarSchema(data.types), data.types);
      answer({ done: undefined });
    } else {
      answer({ done: "check" in data ? examine!.check(data.check) : examine!.weigh(data.weigh) });
    }
  } catch (error) {
    answer({ failed: String(error) });
  }
});

function answer(outcome: ExaminerReply): void {
  parentPort!.postMessage(outcome);
}
