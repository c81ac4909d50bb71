// The worker that examines policies. It receives the record types first, then one job at a time.

import { parentPort } from "node:worker_threads";
import { createExamine, type Examine } from "./examine.ts";
import { cedarSchema, type ResourceType } from "./resource-type.ts";

export type Task = { check: string } | { weigh: string[] } | { filter: string; of: readonly string[] };
export type ExaminerReply = { done: unknown } | { failed: string };

let examine: Examine | undefined;

parentPort!.on("message", (data: { types: ResourceType[] } | Task) => {
  try {
    if ("types" in data) {
      examine = createExamine(cedarSchema(data.types), data.types);
      answer({ done: undefined });
    } else {
      answer({ done: examined(examine!, data) });
    }
  } catch (error) {
    answer({ failed: String(error) });
  }
});

function examined(examine: Examine, task: Task): unknown {
  if ("check" in task) return examine.check(task.check);
  return "weigh" in task ? examine.weigh(task.weigh) : examine.filter(task.filter, task.of);
}

function answer(outcome: ExaminerReply): void {
  parentPort!.postMessage(outcome);
}
