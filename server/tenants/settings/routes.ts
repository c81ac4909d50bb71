// GET and PATCH …/TenantSettings: what holds for all of the caller's own tenant.

import { Elysia } from "elysia";
import { type Authenticate, type Caller, requireScopes } from "../../access/index.ts";
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
      return change(sql, caller, parse(await readJson(request)));
    },
    { parse: "none" },
  );
}

async function read(sql: Sql, caller: Caller): Promise<Response> {
  requireScopes(caller, "Settings:Read");
  const settings = await findSettings(sql, caller.tenantId);
  caller.permissions.require("Settings:Read", RESOURCE, toResource(caller.tenantId, settings));
  return Response.json(toRecord(settings));
}

async function change(sql: Sql, caller: Caller, changes: Partial<TenantSettings>) {
  const { tenantId, permissions } = caller;
  const settings = await sql.begin(async (tx) => {
    const before = await lockSettings(tx, tenantId);
    const after = { ...before, ...changes };
    permissions.require("Settings:Update", RESOURCE, toResource(tenantId, before), toResource(tenantId, after));
    await saveSettings(tx, tenantId, after);
    const fields = Object.keys(toRecord(after));
    const details = changesOf(toRecord(before), toRecord(after), fields, fields);
    if (details) await recordAudit(tx, tenantId, caller, { kind: "TenantSettings.Changed", details });
    return after;
  });
  return Response.json(toRecord(settings));
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
