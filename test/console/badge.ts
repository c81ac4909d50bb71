// A new kind of settings for tests: its contract, store and texts.

import { descriptionField, idField, nameField, STAMP_FIELDS, type Stamped } from "../../server/access/fields.ts";
import { type RecordChange, settingsResource, settingsType } from "../../server/access/index.ts";
import { createSettingsService, type SettingsStore } from "../../server/access/settings.ts";
import type { Queries, Sql } from "../../server/db/sql.ts";
import { contract } from "../../server/http/contract.ts";
import { integer, oneOf } from "../../server/http/fields.ts";
import { isUuid } from "../../server/http/query.ts";

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
const columns = (sql: Queries) => sql`id, name, description, color, days, created_on as "createdOn",
  actor_reference(created_by_type, created_by_id) as "createdBy", modified_on as "modifiedOn",
  actor_reference(modified_by_type, modified_by_id) as "modifiedBy"`;

const store: SettingsStore<Badge> = {
  list: (sql, tenantId, { name }, limit, after) => sql<Badge[]>`
    select ${columns(sql)} from badges
    where tenant_id = ${tenantId} ${after ? sql`and id < ${after}` : sql``}
      ${name === undefined ? sql`` : sql`and name = ${name}`}
    order by id desc limit ${limit + 1}`,
  async find(sql, tenantId, key) {
    const match = "id" in key ? sql`id = ${key.id}` : sql`name = ${key.name}`;
    const [row] = await sql<Badge[]>`select ${columns(sql)} from badges where tenant_id = ${tenantId} and ${match}`;
    return row;
  },
  async insert(sql, tenantId, { name, description, color, days }, { type, id }) {
    const [row] = await sql<Badge[]>`
      insert into badges (id, tenant_id, name, description, color, days, created_by_type, created_by_id,
        modified_by_type, modified_by_id)
      values (${Bun.randomUUIDv7()}, ${tenantId}, ${name}, ${description}, ${color}, ${days}, ${type}, ${id}, ${type},
        ${id}) returning ${columns(sql)}`;
    return row!;
  },
  async update(sql, tenantId, { id, name, description, color, days }, actor) {
    const [row] = await sql<Badge[]>`
      update badges set name = ${name}, description = ${description}, color = ${color}, days = ${days},
        modified_on = now(), modified_by_type = ${actor.type}, modified_by_id = ${actor.id}
      where tenant_id = ${tenantId} and id = ${id} returning ${columns(sql)}`;
    return row!;
  },
  async remove(sql, tenantId, id) {
    await sql`delete from badges where tenant_id = ${tenantId} and id = ${id}`;
  },
};

export const BADGES = {
  type: settingsType(BADGE),
  create: ({ sql, recordChange }: { sql: Sql; recordChange: RecordChange }) =>
    settingsResource({
      contract: BADGE,
      service: createSettingsService(sql, recordChange, {
        contract: BADGE,
        store,
        unique: { badges_tenant_id_name_key: "Name" },
        blank: { name: "", description: "", color: "Red", days: null },
      }),
      find: async (queries, tenantId, _, ids) => {
        const found = await Promise.all(ids.filter(isUuid).map((id) => store.find(queries, tenantId, { id })));
        return found.flatMap((badge) => (badge ? [BADGE.toRecord(badge)] : []));
      },
      tag: { name: "Badge", description: "What opens doors." },
      nouns: ["badge", "badges"],
      examples: { badge: { Name: BADGE.example.Name } },
      upsert: "The badge that Id, or without it Name, points at is updated; else a new one is made, which needs Name.",
      remove: "It opens no door any more.",
    }),
};
