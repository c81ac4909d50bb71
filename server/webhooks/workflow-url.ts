/** The Temporal UI's page of a workflow. */
export type WorkflowUrl = (workflowId: string) => string;
