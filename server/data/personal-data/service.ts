// All data about a person, as a file.

import { createCallersBudget } from "../../platform/budget.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { NotFound, Unauthorized } from "../../platform/errors.ts";
import { contextOf } from "../../platform/http/context.ts";
import { type Export, streamFile } from "../../platform/http/export.ts";
import { type Page, readUserId } from "../../platform/http/query.ts";
import { userAgentOf } from "../../platform/http/request.ts";
import type { TenantId } from "../../platform/ids.ts";
import {
  type Access,
  type AuditRecord,
  type Caller,
  type createFindRecord,
  type Origin,
  originOf,
  type Permitted,
  permit,
  type RecordRoutes,
  recordAudit,
} from "../../records/index.ts";
import type { WebhookServices } from "../../webhooks/index.ts";
import { type ArchivedFile, archiveOf } from "./archive.ts";
import { readPersonalRows } from "./store.ts";
import { PERSONAL_DATA, PERSONAL_ROWS } from "./tables.ts";

export const EXPORT_SCOPES = ["AccessManager:Read", "Settings:Read", "Webhooks:Read"] as const;
type Reader = Permitted<(typeof EXPORT_SCOPES)[number]>;
type WholeEvent = Awaited<ReturnType<WebhookServices["eventLog"]["readWhole"]>>;

const FORMAT = "1.0";
const PAGE = 100;
const EXPORTS = { name: "exports of a person", perCaller: 2, perTenant: 4 };
/** A person's own downloads, which must not delay an administrator's. */
const OWN_EXPORTS = { name: "downloads of own data", holder: "You have", perCaller: 2, perTenant: 20 };

interface Person {
  tenantId: TenantId;
  userId: number;
}

export interface PersonalData {
  /** @param userId as in the path @throws NotFound, Permission, TenantBusy */
  export(caller: Reader, userId: string): Promise<Export>;
  /** For the person, independent of policies. @param isStill whether the person is signed in @throws TenantBusy */
  exportOwn(request: Request, person: Person, isStill: () => Promise<boolean>): Promise<Export>;
}

export interface PersonalDataDependencies {
  sql: Sql;
  findUser: ReturnType<typeof createFindRecord>;
  admitOwner: Access["admitOwner"];
  eventLog: WebhookServices["eventLog"];
  auditLog: RecordRoutes["auditLog"];
}

export function createPersonalData(deps: PersonalDataDependencies): PersonalData {
  const { sql, findUser, admitOwner, eventLog, auditLog } = deps;
  const take = createCallersBudget(EXPORTS);
  const takeOwn = createCallersBudget(OWN_EXPORTS);

  /** @throws NotFound, Permission if the caller may not read the User and its settings */
  async function open(caller: Reader, userId: number): Promise<Reader> {
    const record = await findUser(sql, caller.tenantId, "User", userId);
    if (!record) throw new NotFound("There is no User with this Id.");
    await caller.gate.show("User", record);
    caller.permissions.require("Settings:Read", "User", record);
    return caller;
  }

  async function exportFor(caller: Reader, origin: Origin, userId: number, release: () => void): Promise<Export> {
    const { tenantId, actor } = caller;
    const isOwner = actor.type === "User" && actor.id === userId;
    const again = async () => open(permit(await caller.again(), EXPORT_SCOPES), userId);
    try {
      await open(caller, userId);
    } catch (error) {
      release();
      throw error;
    }
    // Only when the data is read: HEAD exports nothing.
    const note = () =>
      recordAudit(sql, tenantId, origin, { kind: "User.Exported", subject: { type: "User", id: userId } });
    const parts = archiveOf(indexOf(tenantId, userId, isOwner), files(again, note, userId, isOwner));
    const day = new Date().toISOString().slice(0, 10);
    return { type: "application/zip", fileName: `user-${userId}-${day}.zip`, body: streamFile(parts, release) };
  }

  async function* files(
    again: () => Promise<Reader>,
    note: () => Promise<unknown>,
    userId: number,
    isOwner: boolean,
  ): AsyncGenerator<ArchivedFile> {
    await note();
    for (const table of PERSONAL_ROWS) {
      const { tenantId } = await again();
      const { exported, notOwn = [] } = table;
      const columns = isOwner ? exported.filter((column) => !notOwn.includes(column)) : exported;
      const rows = await readPersonalRows(sql, tenantId, table, columns, userId);
      yield { name: table.file, batches: [rows.map((row) => named(row, table.names))] };
    }
    yield { name: "WebhookEvents", batches: events(again, userId) };
    yield { name: "AuditEvents", batches: auditEvents(again, userId, isOwner) };
  }

  async function* events(again: () => Promise<Reader>, userId: number) {
    const filter = { EventRecord: "User", RecordId: String(userId) };
    const pages = pagesOf(again, (now, paging) => eventLog.list(now, filter, paging));
    for await (const { now, items } of pages) {
      for (const { EventId } of items) {
        // Retention may have removed it since the page was read.
        const event = await eventLog.readWhole(now, EventId).catch((error) => {
          if (error instanceof NotFound) return undefined;
          throw error;
        });
        if (event) yield [withoutAddresses(event)];
      }
    }
  }

  /** Entries by the person, then others about the person. */
  async function* auditEvents(again: () => Promise<Reader>, userId: number, isOwner: boolean) {
    const isBy = ({ Actor }: AuditRecord) => Actor?.Type === "User" && Actor.Id === String(userId);
    const by = { ActorType: "User", ActorId: String(userId) } as const;
    const about = { SubjectType: "User", SubjectId: String(userId) };
    for await (const { items } of pagesOf(again, (now, paging) => auditLog.list(now, by, paging))) yield items;
    for await (const { items } of pagesOf(again, (now, paging) => auditLog.list(now, about, paging))) {
      const others = items.filter((row) => !isBy(row));
      // An administrator's address is that person's data.
      yield isOwner ? others.map((row) => (row.Actor ? { ...row, Address: "", UserAgent: "" } : row)) : others;
    }
  }

  return {
    async export(caller, userId) {
      const id = readUserId(userId);
      return exportFor(caller, caller, id, await take(caller.tenantId, caller.actor));
    },
    async exportOwn(request, { tenantId, userId }, isStill) {
      const { key, address, traceParent } = contextOf(request);
      const bearer = { tenantId, clientId: "", actor: { type: "User" as const, id: userId } };
      const call = { ...bearer, scopes: new Set(EXPORT_SCOPES), requestKey: key, address, time: new Date() };
      const caller: Caller = {
        ...call,
        userAgent: userAgentOf(request),
        traceParent,
        ...admitOwner(call),
        async again() {
          if (!(await isStill())) throw new Unauthorized("The session has ended.");
          return caller;
        },
      };
      const origin = originOf(request, { actor: caller.actor });
      return exportFor(permit(caller, EXPORT_SCOPES), origin, userId, await takeOwn(tenantId, caller.actor));
    },
  };
}

/** The archive is for the person, and the Temporal UI may be at an internal address. */
function withoutAddresses({ WorkflowUrl: _, Deliveries, ...event }: WholeEvent): object {
  return { ...event, Deliveries: Deliveries.map(({ WorkflowUrl: _, ...delivery }) => delivery) };
}

interface ReadPage {
  limit: number;
  cursor: string | undefined;
  filters: string;
}

async function* pagesOf<Item>(
  again: () => Promise<Reader>,
  read: (now: Reader, paging: ReadPage) => Promise<Page<Item>>,
) {
  let cursor: string | undefined;
  do {
    const now = await again();
    const page: Page<Item> = await read(now, { limit: PAGE, cursor, filters: "" });
    yield { now, items: page.Items };
    cursor = page.Next ?? undefined;
  } while (cursor !== undefined);
}

function named(row: Record<string, unknown>, names: Readonly<Record<string, string>> = {}): Record<string, unknown> {
  const nameOf = new Map(Object.entries(names));
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [nameOf.get(column) ?? apiName(column), value]),
  );
}

/** @example apiName("user_agent") // "UserAgent" */
function apiName(column: string): string {
  return column.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}

const NEVER = ["WorkflowUrl"];
const INTERNAL = {
  ...Object.fromEntries(PERSONAL_ROWS.flatMap(({ file, notOwn }) => (notOwn ? [[file, notOwn.map(apiName)]] : []))),
  WebhookEvents: [...NEVER, "Attempts.Response"],
};

function indexOf(tenantId: TenantId, userId: number, isOwner: boolean): object {
  const expiring = [...PERSONAL_DATA.values()].flatMap((declared) =>
    "how" in declared && typeof declared.how === "object" && "expires" in declared.how ? [declared.how.expires] : [],
  );
  return {
    Format: FORMAT,
    TenantId: tenantId,
    UserId: userId,
    CreatedOn: new Date().toISOString(),
    Files: [...new Set(PERSONAL_ROWS.map(({ file }) => file)), "WebhookEvents", "AuditEvents"].map(
      (file) => `${file}.json`,
    ),
    LeftOut: {
      Secrets: Object.fromEntries(
        PERSONAL_ROWS.filter(({ withheld }) => withheld.length > 0).map(({ file, withheld }) => [
          file,
          withheld.map(apiName),
        ]),
      ),
      Internal: isOwner ? INTERNAL : { WebhookEvents: NEVER },
      Expiring: expiring,
      Mentions: "records that the person has made or changed, which have the person's Id",
    },
  };
}
