// What the documents show of the activity log and of the calls to receivers.

import { CONNECTION } from "../connections/contract.ts";

const EVENT_ID = "0197c6f2-3a1b-7c4d-8e5f-60718293a4b5";
const { Id: CONNECTION_ID, Name, Entities, Events } = CONNECTION.example;
const TIMESTAMP = "2026-01-31T12:00:00.000Z";
const WORKFLOW_URL = `http://localhost:8233/namespaces/default/workflows/${EVENT_ID}`;

export const EXAMPLE_PING_PAYLOAD = {
  TenantId: "0197c6f0-1111-7222-8333-444455556666",
  EventType: "Ping",
  EventId: EVENT_ID,
  Version: "1.0",
  Timestamp: TIMESTAMP,
  EventRecord: "WebhookConnection",
  EventResponse: "Object",
  Data: {
    Id: CONNECTION_ID,
    Name,
    Entities,
    Events,
  },
};

export const EXAMPLE_PAYLOAD = {
  TenantId: "0197c6f0-1111-7222-8333-444455556666",
  EventType: "Created",
  EventId: EVENT_ID,
  Version: "1.0",
  Timestamp: TIMESTAMP,
  EventRecord: "Application",
  EventResponse: "Object",
  Data: {
    Id: "7",
    Name: "Payroll",
    ApplicationKey: "payroll",
    ExternalId: "APP-7",
    Description: "Pays people on time",
    WebSiteURL: "https://payroll.example.com",
    Is_System: false,
    Is_EndUser: true,
    Is_Active: true,
    ModifiedOn: TIMESTAMP,
    CreatedOn: TIMESTAMP,
    ModifiedBy: { Id: 1, ExternalId: "", Name: "demo-client", Type: "Application" },
    CreatedBy: { Id: 1, ExternalId: "", Name: "demo-client", Type: "Application" },
  },
};

const DELIVERY = {
  Id: "5b0cf0f4-8a39-4c43-9d0e-0d1f6d7f4b1a",
  ConnectionId: CONNECTION_ID,
  State: "Delivered",
  AttemptCount: 1,
  WorkflowId: EVENT_ID,
  WorkflowUrl: WORKFLOW_URL,
};

export const EXAMPLE_EVENT = {
  EventId: EVENT_ID,
  EventType: "Created",
  EventRecord: "Application",
  RecordId: "7",
  RecordCount: 1,
  Timestamp: TIMESTAMP,
  State: "Delivered",
  Reason: null,
  WorkflowId: EVENT_ID,
  WorkflowUrl: WORKFLOW_URL,
  Deliveries: [DELIVERY],
};

export const EXAMPLE_EVENT_DETAIL = {
  ...EXAMPLE_EVENT,
  Sequence: "1",
  Payload: EXAMPLE_PAYLOAD,
  Withheld: null,
  Deliveries: [
    {
      ...DELIVERY,
      Attempts: [
        {
          Number: 1,
          Run: 1,
          StartedOn: TIMESTAMP,
          DurationMs: 41,
          StatusCode: 200,
          Failure: null,
          Response: { Headers: "content-type: text/plain", Body: "ok" },
        },
      ],
    },
  ],
};
