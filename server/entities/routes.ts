import { Elysia } from "elysia";
import {
  type Authenticate,
  answer,
  answerRead,
  answerRecord,
  type Caller,
  requireScopes,
  withoutRecords,
} from "../access/index.ts";
import { BadInput } from "../errors.ts";
import { readJson, requireJson } from "../http/body.ts";
import { hasConditions, readConditions } from "../http/conditions.ts";
import { isRead, requireMethod } from "../http/method.ts";
import { API_PATH } from "../http/paths.ts";
import { readParameter } from "../http/query.ts";
import { requestUrl } from "../http/request-url.ts";
import type { Address } from "./read.ts";
import { describeEntities } from "./registry.ts";
import type { Entities, EntityService } from "./service.ts";

/** Entities, and for each of them its list, upsert, read and delete. */
export function entitiesController(entities: Entities, authenticate: Authenticate) {
  const definitions = entities.all.map(({ entity }) => entity);
  const controller = new Elysia().all(
    `${API_PATH}/Entities`,
    async ({ request }) => {
      const caller = await authenticate(request);
      requireMethod(request, "GET");
      requireScopes(caller, "AccessManager:Read");
      return answer(withoutRecords({ Items: describeEntities(definitions), Next: null }));
    },
    { parse: "none" },
  );
  for (const service of entities.all) {
    const path = `${API_PATH}/${service.entity.name}`;
    const handle = async ({ request }: { request: Request }) => {
      const caller = await authenticate(request);
      const url = requestUrl(request);
      if (url.pathname === path) return onCollection(service, caller, request, url.searchParams);
      const pathValue = url.pathname.slice(path.length + 1);
      const fieldName = readParameter(url.searchParams, "Name");
      return onRecord(service, caller, request, { pathValue, fieldName });
    };
    // A path that ends in a slash is taken by the first, too. The other is a wildcard, for base64 may hold a slash.
    controller.all(path, handle, { parse: "none" }).all(`${path}/*`, handle, { parse: "none" });
  }
  return controller;
}

/** The list, and the upsert of one record or of an array. */
async function onCollection(
  service: EntityService,
  caller: Caller,
  request: Request,
  query: URLSearchParams,
): Promise<Response> {
  requireMethod(request, "GET", "PATCH", "POST");
  if (isRead(request)) return answer(await service.list(caller, query));
  requireJson(request);
  service.requireWrite(caller);
  const conditions = readConditions(request.headers);
  const body = await readJson(request);
  if (!Array.isArray(body)) return answerRecord(await service.save(caller, body, conditions));
  if (hasConditions(conditions)) throw new BadInput("If-Match and If-None-Match are for one record, not for an array.");
  return answer(await service.saveAll(caller, body));
}

async function onRecord(service: EntityService, caller: Caller, request: Request, address: Address): Promise<Response> {
  requireMethod(request, "GET", "DELETE");
  const conditions = readConditions(request.headers);
  if (!isRead(request)) return answerRecord(await service.remove(caller, address, conditions));
  return answerRead(conditions, await service.read(caller, address));
}
