// The worker in which policies are examined. It is told the types of records there are, then what to do, one at a time.

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
