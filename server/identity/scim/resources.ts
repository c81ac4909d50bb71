// Users and Groups as SCIM reads and writes them. Each write is one of the record's service: policies, events and audit
// entries are those of the API.

import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { Conflict, NotFound, PreconditionFailed } from "../../platform/errors.ts";
import { type Conditions, etagOf, UNCONDITIONAL } from "../../platform/http/conditions.ts";
import { firstPage } from "../../platform/http/query.ts";
import type { TenantId } from "../../platform/ids.ts";
import { type Caller, type EntityRecord, type EntityService, permit, type Tagged } from "../../records/index.ts";
import { isLastAdministrator, lacksAdministrator } from "./administrators.store.ts";
import { ScimError } from "./errors.ts";
import { conditionOf, idOf } from "./filter.store.ts";
import { parseFilter } from "./filter.ts";
import { groupBody, toScimGroup } from "./groups.ts";
import { changesIn, type PatchChange, readPatch } from "./patch.ts";
import { toScimUser, userBody } from "./users.ts";

export interface ScimResources {
  list(caller: Caller, asked: { filter: string | undefined; startIndex: number; count: number }): Promise<Listed>;
  read(caller: Caller, id: string): Promise<ScimResource>;
  create(caller: Caller, sent: unknown): Promise<ScimResource>;
  /** PUT: absent attributes are cleared. */
  replace(caller: Caller, id: string, sent: unknown, conditions: Conditions): Promise<ScimResource>;
  patch(caller: Caller, id: string, sent: unknown, conditions: Conditions): Promise<ScimResource>;
  remove(caller: Caller, id: string, conditions: Conditions): Promise<void>;
}

export interface ScimResource {
  record: Record<string, unknown>;
  etag: string | undefined;
}

interface Listed {
  Items: Record<string, unknown>[];
  Total: number;
}

const WRITE = ["AccessManager:Create", "AccessManager:Update"] as const;

export function createResources(sql: Sql, type: "User" | "Group", of: (name: string) => EntityService): ScimResources {
  const service = of(type);
  const toScim = type === "User" ? toScimUser : toScimGroup;
  const bodyOf = type === "User" ? userBody : groupBody;

  function recordId(id: string): number {
    const found = idOf(id)[type === "User" ? "user" : "group"];
    if (found === undefined) throw new NotFound(`There is no ${type} with this id.`);
    return found;
  }

  /** A record does not have every date of its row, which is its version. */
  function shown({ record, version }: Tagged<EntityRecord>): ScimResource {
    const { meta, ...resource } = toScim(record);
    const { modifiedOn, createdOn } = (version ?? {}) as { modifiedOn?: unknown; createdOn?: unknown };
    const lastModified = modifiedOn ?? createdOn;
    return {
      record: { ...resource, meta: { ...(meta as object), ...(lastModified ? { lastModified } : {}) } },
      etag: version && etagOf(version),
    };
  }

  async function save(caller: Caller, body: EntityRecord, conditions: Conditions): Promise<ScimResource> {
    const permitted = permit(caller, WRITE);
    if (type === "User") await makeDepartment(caller, body);
    const alongside = (tx: Transaction, id: number) => keepAdministrator(tx, caller.tenantId, id, body);
    return shown(await service.save(permitted, service.entity.parse(body), conditions, body, alongside));
  }

  /** A directory knows departments only by their names. */
  async function makeDepartment(caller: Caller, { Department }: EntityRecord): Promise<void> {
    const Name = (Department as { Value?: string } | null | undefined)?.Value;
    if (Name === undefined) return;
    const departments = of("Department");
    const { Items } = await departments.list(permit(caller, ["AccessManager:Read"]), { Name }, firstPage(1));
    if (Items.length > 0) return;
    const body = { Name, Is_Active: true };
    await departments.save(permit(caller, WRITE), departments.entity.parse(body), UNCONDITIONAL, body);
  }

  /** @throws Conflict */
  async function keepAdministrator(tx: Transaction, tenantId: TenantId, id: number, body: EntityRecord): Promise<void> {
    const isLost =
      type === "User"
        ? body.Is_Active === false && (await isLastAdministrator(tx, tenantId, id))
        : body.Members !== undefined && (await lacksAdministrator(tx, tenantId, id));
    if (isLost) throw new Conflict(LAST_ADMINISTRATOR);
  }

  return {
    async list(caller, { filter, startIndex, count }) {
      const where = filter === undefined ? undefined : conditionOf(type, parseFilter(filter));
      const range = { offset: startIndex - 1, limit: count };
      const { Items, Total } = await service.listAt(permit(caller, ["AccessManager:Read"]), where, range);
      return { Items: Items.map(toScim), Total };
    },
    read: async (caller, id) => shown(await service.read(permit(caller, ["AccessManager:Read"]), String(recordId(id)))),
    async create(caller, sent) {
      const changes = changesIn(sent);
      requireName(type, changes);
      const body = withoutEmpty(bodyOf(changes, true));
      return save(caller, body, IF_NEW).catch((error) => {
        if (!(error instanceof PreconditionFailed)) throw error;
        throw new Conflict(`There is a ${type} with this name or externalId.`);
      });
    },
    async replace(caller, id, sent, conditions) {
      const changes = changesIn(sent);
      requireName(type, changes);
      return save(caller, { Id: recordId(id), ...bodyOf(changes, true) }, conditions);
    },
    async patch(caller, id, sent, conditions) {
      return save(caller, { Id: recordId(id), ...bodyOf(readPatch(sent), false) }, conditions);
    },
    async remove(caller, id, conditions) {
      const permitted = permit(caller, ["AccessManager:Delete"]);
      const number = recordId(id);
      if (type === "User" && (await isLastAdministrator(sql, caller.tenantId, number))) {
        throw new Conflict(LAST_ADMINISTRATOR);
      }
      await service.remove(permitted, String(number), conditions);
    },
  };
}

const LAST_ADMINISTRATOR =
  "This would leave the tenant without an active administrator. Give another user a role with Settings:Update first.";
const IF_NEW: Conditions = { ...UNCONDITIONAL, ifNoneMatch: "*" };

function requireName(type: "User" | "Group", changes: readonly PatchChange[]): void {
  const name = type === "User" ? "userName" : "displayName";
  const isGiven = changes.some(({ attribute, value }) => attribute === name.toLowerCase() && value);
  if (!isGiven) throw new ScimError("invalidValue", `${name} is required.`);
}

const withoutEmpty = (body: EntityRecord) => Object.fromEntries(Object.entries(body).filter(([, one]) => one !== null));
