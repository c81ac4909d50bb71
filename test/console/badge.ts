// A new kind of settings for tests: its contract, store and texts.

import { descriptionField, idField, nameField, STAMP_FIELDS, type Stamped } from "../../server/access/fields.ts";
import { type RecordChange, settingsResource, settingsType } from "../../server/access/index.ts";
import { createSettingsService } from "../../server/access/settings.ts";
import type { Sql } from "../../server/db/sql.ts";
import { contract } from "../../server/http/contract.ts";
import { integer, oneOf } from "../../server/http/fields.ts";
import { recordTable } from "../../server/records/index.ts";

const FIELDS = {
  Id: idField("Badge"),
  Name: { ...nameField("Front door"), form: { label: "Name", hint: "What people call it." } },
  Description: { ...descriptionField("Opens in the morning."), form: { label: "Description" } },
  Color: oneOf(["Red", "Blue"], { judged: true, audit: "value", form: { label: "Color" }, example: "Red" }),
  Days: integer(1, 30, "days", { audit: "value", form: { label: "Days" }, example: null }),
  ...STAMP_FIELDS,
};
export const BADGE = contract("Badge", "What opens a door.", FIELDS);

interface Badge extends Stamped {
  id: string;
  name: string;
  description: string;
  color: "Red" | "Blue";
  days: number | null;
}

export const TABLE = `
  create table badges (
    id uuid primary key, tenant_id uuid not null references tenants, name text not null, description text not null,
    color text not null, days integer,
    created_on timestamptz(3) not null default now(), created_by_type text, created_by_id bigint,
    modified_on timestamptz(3) not null default now(), modified_by_type text, modified_by_id bigint,
    unique (tenant_id, name)
  )`;
const store = recordTable<Badge>("badges", {
  names: ["name", "description", "color", "days"],
  idType: "uuid",
  isStamped: true,
});

export const BADGES = {
  type: settingsType(BADGE),
  create: ({ sql, recordChange }: { sql: Sql; recordChange: RecordChange }) =>
    settingsResource({
      contract: BADGE,
      service: createSettingsService<typeof FIELDS, Badge>(sql, recordChange, {
        contract: BADGE,
        store,
        unique: { badges_tenant_id_name_key: "Name" },
        blank: { name: "", description: "", color: "Red", days: null },
      }),
      tag: { name: "Badge", description: "What opens doors." },
      nouns: ["badge", "badges"],
      examples: { badge: { Name: BADGE.example.Name } },
      upsert: "The badge that Id, or without it Name, points at is updated; else a new one is made, which needs Name.",
      remove: "It opens no door any more.",
    }),
};
