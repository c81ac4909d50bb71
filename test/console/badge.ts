// A new kind of settings for tests: its declaration and its table.

import { integer, oneOf } from "../../server/platform/http/fields.ts";
import { settings } from "../../server/records/access/settings.ts";
import { descriptionField } from "../../server/records/fields.ts";
import { record, recordFields, SETTING } from "../../server/records/index.ts";

export const BADGE = record("Badge", {
  table: "badges",
  nouns: ["badge", "badges"],
  description: "What opens a door.",
  scopes: SETTING,
  audit: "Record",
  fields: {
    Id: recordFields.idField("Badge"),
    Name: { ...recordFields.nameField("Front door"), form: { label: "Name", hint: "What people call it." } },
    Description: { ...descriptionField("Opens in the morning."), form: { label: "Description" } },
    Color: oneOf(["Red", "Blue"], { judged: true, audit: "value", form: { label: "Color" }, example: "Red" }),
    Days: integer(1, 30, "days", { audit: "value", form: { label: "Days" }, example: null }),
    ...recordFields.STAMP_FIELDS,
  },
  texts: { group: "What opens doors.", remove: "It no longer opens doors." },
});
export const BADGES = settings(BADGE);

export const TABLE = `
  create table badges (
    id uuid primary key, tenant_id uuid not null references tenants, name text not null, description text not null,
    color text not null, days integer,
    created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
    modified_on timestamptz(3) not null default now(), modified_by_type text, modified_by_id bigint,
    constraint badges_name_key unique (tenant_id, name)
  )`;
