import { Elysia } from "elysia";
import { type Authenticate, requireScopes } from "../access/index.ts";
import type { Sql } from "../db/connection.ts";
import { readJson, requireJson } from "../http/body.ts";
import { requireMethod } from "../http/method.ts";
import { API_PATH } from "../http/paths.ts";
import { requestUrl } from "../http/request-url.ts";
import type { EntityDefinition } from "./definition.ts";
import { readRecord } from "./read.ts";
import { describeEntities, ENTITIES } from "./registry.ts";
import { upsertRecord } from "./upsert.ts";

export function entitiesController(sql: Sql, authenticate: Authenticate) {
  const controller = new Elysia();
  entitiesListRoutes(controller, authenticate);
  for (const entity of ENTITIES) {
    if (entity.operations.includes("read")) readRoutes(controller, sql, authenticate, entity);
    if (entity.operations.includes("upsert")) upsertRoutes(controller, sql, authenticate, entity);
  }
  return controller;
}

function entitiesListRoutes(controller: Elysia, authenticate: Authenticate): void {
  controller.all(
    `${API_PATH}/Entities`,
    async ({ request }) => {
      const caller = await authenticate(request);
      requireMethod(request, "GET");
      requireScopes(caller, "AccessManager:Read");
      return Response.json({ Items: describeEntities(), Next: null });
    },
    { parse: "none" },
  );
}

function readRoutes(controller: Elysia, sql: Sql, authenticate: Authenticate, entity: EntityDefinition): void {
  const prefix = `${API_PATH}/${entity.name}/`;
  // A wildcard, for a base64 value may hold a slash.
  controller.all(
    `${prefix}*`,
    async ({ request }) => {
      const caller = await authenticate(request);
      requireMethod(request, "GET");
      requireScopes(caller, "AccessManager:Read");
      const url = requestUrl(request);
      const pathValue = url.pathname.slice(prefix.length);
      const name = url.searchParams.get("Name") ?? "";
      return Response.json(await readRecord(sql, caller.tenantId, entity, pathValue, name));
    },
    { parse: "none" },
  );
}

function upsertRoutes(controller: Elysia, sql: Sql, authenticate: Authenticate, entity: EntityDefinition): void {
  controller.all(
    `${API_PATH}/${entity.name}`,
    async ({ request }) => {
      const caller = await authenticate(request);
      requireMethod(request, "PATCH", "POST");
      requireJson(request);
      requireScopes(caller, "AccessManager:Create", "AccessManager:Update");
      return Response.json(await upsertRecord(sql, caller, entity, await readJson(request)));
    },
    { parse: "none" },
  );
}
