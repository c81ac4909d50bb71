// The way from a page to a workflow in the Temporal UI.

import { BadInput } from "../platform/errors.ts";
import { NO_STORE } from "../platform/http/conditions.ts";
import { readParameter } from "../platform/http/query.ts";
import { Code } from "../ui/index.ts";
import type { ConsolePage, ConsoleServices, View, Visit } from "./page.tsx";

const WORKFLOW = "/settings/workflow";

/** Redirects to the Temporal UI, or says that Temporal no longer has the workflow. */
export const hrefOfWorkflow = (visit: Visit, { WorkflowId }: { WorkflowId: string }) =>
  visit.href(`${WORKFLOW}?${new URLSearchParams({ Id: WorkflowId })}`);

export function workflowPages(deps: ConsoleServices): ConsolePage[] {
  return [{ path: WORKFLOW, GET: { needs: [], answer: (visit) => openWorkflow(deps, visit) } }];
}

async function openWorkflow(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const id = readParameter(visit.url.searchParams, "Id");
  if (id === "") throw new BadInput("Id is missing.");
  const isGone = (await deps.findWorkflow(visit.caller.tenantId, id)) === false;
  if (!isGone) return new Response(null, { status: 303, headers: { location: deps.workflowUrl(id), ...NO_STORE } });
  return {
    title: "Workflow gone",
    status: 410,
    body: (
      <div class="panel">
        <p>
          Temporal does not have the workflow <Code text={id} />. It keeps workflows for a time after their end:
          TEMPORAL_RETENTION, or its namespace's. <a href={visit.href("/settings/activity")}>Activity</a> has what
          became of each change for longer.
        </p>
      </div>
    ),
  };
}
