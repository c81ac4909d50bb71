// A new entity: its definition and its table.

import { date, ENTITY, flag, id, record, reference, text, whole } from "../../server/records/index.ts";

export const group = record("Group", {
  description: "People who work together.",
  table: "groups",
  nouns: ["group", "groups"],
  scopes: ENTITY,
  events: true,
  audit: "Record",
  fields: {
    Id: id("int32", "Number of the group."),
    Code: text("code", "Its short name.", { maxLength: 10, unique: true }),
    Size: whole("int32", "size", "Number of people."),
    Ends_On: date("ends_on", "End of its work."),
    Is_Open: flag("is_open", "Whether people may join."),
    Lead: reference("User", "lead_id", "Leads the group."),
    Tool: reference("Application", "tool_id", "The application that it works with."),
  },
  identifiers: ["Code"],
});

export const TABLE = `
  create table groups (
    id integer generated always as identity primary key,
    tenant_id uuid not null references tenants,
    code text,
    size integer,
    ends_on timestamptz(3),
    is_open boolean not null default false,
    sequence bigint not null default 1,
    lead_id integer references users,
    tool_id bigint references applications,
    created_on timestamptz(3) not null, created_by_type text, created_by_id bigint,
    modified_on timestamptz(3), modified_by_type text, modified_by_id bigint,
    constraint groups_code_key unique (tenant_id, code)
  )`;
