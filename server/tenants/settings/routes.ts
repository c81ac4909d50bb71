// GET and PATCH …/TenantSettings: what holds for all of the caller's own tenant.

import { Elysia } from "elysia";
import { type Authenticate, answer, type Caller, requireScopes } from "../../access/index.ts";
import { changesOf, recordAudit } from "../../audit/index.ts";
import type { Sql } from "../../db/connection.ts";
import { BadInput } from "../../errors.ts";
import { printable, readJson, requireJson } from "../../http/body.ts";
import { isRead, requireMethod } from "../../http/method.ts";
import { API_PATH } from "../../http/paths.ts";
import type { TenantId } from "../../tenant-id.ts";
import { SETTINGS_RESOURCE_TYPE } from "./resource-type.ts";
import { findSettings, lockSettings, SECOND_FACTOR_RULES, saveSettings, type TenantSettings } from "./store.ts";

const RESOURCE = SETTINGS_RESOURCE_TYPE.name;

export function tenantSettingsController(sql: Sql, authenticate: Authenticate) {
  return new Elysia().all(
    `${API_PATH}/${RESOURCE}`,
    async ({ request }) => {
      const caller = await authenticate(request);
      requireMethod(request, "GET", "PATCH");
      if (isRead(request)) return read(sql, caller);
      requireJson(request);
      requireScopes(caller, "Settings:Update");
      return change(sql, caller, await readJson(request));
    },
    { parse: "none" },
  );
}

async function read(sql: Sql, caller: Caller): Promise<Response> {
  requireScopes(caller, "Settings:Read");
  const settings = await findSettings(sql, caller.tenantId);
  const resource = toResource(caller.tenantId, settings);
  return answer((await caller.gate.show(RESOURCE, toRecord(settings), { resource })).record);
}

async function change(sql: Sql, caller: Caller, body: unknown): Promise<Response> {
  const { tenantId, permissions, gate } = caller;
  const changes = parse(body);
  const settings = await sql.beginFor(tenantId, async (tx) => {
    const before = await lockSettings(tx, tenantId);
    const after = { ...before, ...changes };
    permissions.require("Settings:Update", RESOURCE, toResource(tenantId, before), toResource(tenantId, after));
    await saveSettings(tx, tenantId, after);
    const fields = Object.keys(toRecord(after));
    const details = changesOf(toRecord(before), toRecord(after), fields, fields);
    if (details) await recordAudit(tx, tenantId, caller, { kind: "TenantSettings.Changed", details });
    return after;
  });
  const resource = toResource(tenantId, settings);
  return answer((await gate.written(RESOURCE, toRecord(settings), body, { resource })).record);
}

/** @throws BadInput naming every field that does not fit */
function parse(body: unknown): Partial<TenantSettings> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new BadInput(`The body must be one ${RESOURCE} object.`);
  }
  const unknown = Object.keys(body).filter((name) => name !== "SecondFactor");
  if (unknown.length > 0) throw BadInput.of(unknown.map((name) => `${printable(name)} is no field of ${RESOURCE}.`));
  const given = (body as { SecondFactor?: unknown }).SecondFactor;
  if (given === undefined) return {};
  const secondFactor = SECOND_FACTOR_RULES.find((rule) => rule === given);
  if (!secondFactor) throw new BadInput(`SecondFactor must be ${SECOND_FACTOR_RULES.join(" or ")}.`);
  return { secondFactor };
}

function toRecord({ secondFactor }: TenantSettings) {
  return { SecondFactor: secondFactor };
}

function toResource(tenantId: TenantId, settings: TenantSettings) {
  return { ...toRecord(settings), Id: tenantId };
}
