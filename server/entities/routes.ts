import { Elysia } from "elysia";
import { type Authenticate, type Caller, requireScopes } from "../access/index.ts";
import { BadInput } from "../errors.ts";
import { readJson, requireJson } from "../http/body.ts";
import { answerRead, answerRecord, hasConditions, readConditions } from "../http/conditions.ts";
import { isRead, requireMethod } from "../http/method.ts";
import { API_PATH } from "../http/paths.ts";
import { readParameter } from "../http/query.ts";
import { requestUrl } from "../http/request-url.ts";
import { upsertRecords } from "./bulk.ts";
import type { EntityDefinition } from "./definition.ts";
import { deleteRecord } from "./delete.ts";
import { listRecords } from "./list.ts";
import { type Address, readRecord } from "./read.ts";
import { toRecord } from "./record.ts";
import { createRegistry, describeEntities, type Entity } from "./registry.ts";
import type { Row } from "./store.ts";
import type { Records } from "./transaction.ts";
import { upsertRecord } from "./upsert.ts";

/** Entities, and for each of the definitions its list, upsert, read and delete. */
export function entitiesController(
  records: Records,
  authenticate: Authenticate,
  definitions: readonly EntityDefinition[],
) {
  const controller = new Elysia().all(
    `${API_PATH}/Entities`,
    async ({ request }) => {
      const caller = await authenticate(request);
      requireMethod(request, "GET");
      requireScopes(caller, "AccessManager:Read");
      return Response.json({ Items: describeEntities(definitions), Next: null });
    },
    { parse: "none" },
  );
  for (const entity of createRegistry(definitions)) {
    const path = `${API_PATH}/${entity.name}`;
    const handle = async ({ request }: { request: Request }) => {
      const caller = await authenticate(request);
      const url = requestUrl(request);
      if (url.pathname === path) return onCollection(records, caller, entity, request, url.searchParams);
      const pathValue = url.pathname.slice(path.length + 1);
      const fieldName = readParameter(url.searchParams, "Name");
      return onRecord(records, caller, entity, request, { pathValue, fieldName });
    };
    // A path that ends in a slash is taken by the first, too. The other is a wildcard, for base64 may hold a slash.
    controller.all(path, handle, { parse: "none" }).all(`${path}/*`, handle, { parse: "none" });
  }
  return controller;
}

/** The list, and the upsert of one record or of an array. */
async function onCollection(
  records: Records,
  caller: Caller,
  entity: Entity,
  request: Request,
  query: URLSearchParams,
): Promise<Response> {
  requireMethod(request, "GET", "PATCH", "POST");
  if (isRead(request)) {
    requireScopes(caller, "AccessManager:Read");
    return Response.json(await listRecords(records.sql, caller, entity, query));
  }
  requireJson(request);
  requireScopes(caller, "AccessManager:Create", "AccessManager:Update");
  const conditions = readConditions(request.headers);
  const body = await readJson(request);
  if (!Array.isArray(body)) return answer(entity, await upsertRecord(records, caller, entity, body, conditions));
  if (hasConditions(conditions)) throw new BadInput("If-Match and If-None-Match are for one record, not for an array.");
  const rows = await upsertRecords(records, caller, entity, body);
  return Response.json(rows.map((row) => toRecord(entity, row)));
}

async function onRecord(
  records: Records,
  caller: Caller,
  entity: Entity,
  request: Request,
  address: Address,
): Promise<Response> {
  requireMethod(request, "GET", "DELETE");
  requireScopes(caller, isRead(request) ? "AccessManager:Read" : "AccessManager:Delete");
  const conditions = readConditions(request.headers);
  if (!isRead(request)) return answer(entity, await deleteRecord(records, caller, entity, address, conditions));
  const row = await readRecord(records.sql, caller, entity, address);
  return answerRead(conditions, toRecord(entity, row), row);
}

function answer(entity: Entity, row: Row): Response {
  return answerRecord(toRecord(entity, row), row);
}
