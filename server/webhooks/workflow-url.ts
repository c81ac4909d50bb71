/** Where a person opens a workflow in the Temporal UI. */
export type WorkflowUrl = (workflowId: string) => string;
