// Invitations of many people: checked when the file is sent, made by a worker.

import { Type } from "@sinclair/typebox";
import type { ImportState } from "../../../../../workflows/contract.ts";
import type { Sql } from "../../../../platform/db/sql.ts";
import { ApiError, BadInput, Conflict, NotFound } from "../../../../platform/errors.ts";
import { EXPORT_PAGE, type Export, type Exporter, type ExportFormat } from "../../../../platform/http/export.ts";
import { isUuid, uuidParameter } from "../../../../platform/http/query.ts";
import type { Route } from "../../../../platform/http/route.ts";
import {
  type Access,
  type Caller,
  createLog,
  type Log,
  logRoutes,
  type Permitted,
  permit,
  recordAudit,
  route,
  type Shown,
  withoutRecords,
} from "../../../../records/index.ts";
import type { Mailer } from "../../../mail/index.ts";
import { INVITATION, type Invitation } from "../contract.ts";
import { createRequireGrantable } from "../grantable.ts";
import {
  IMPORT,
  IMPORT_CHANGE,
  IMPORT_CHECK,
  IMPORT_DATA,
  IMPORT_FILTERS,
  type ImportRecord,
  type ImportRow,
  MAX_REPORTED,
  SKIPPED,
} from "./contract.ts";
import { type ImportProblem, readPeople } from "./csv.ts";
import { countSkipped, IMPORTS, type Invitee, insertImport, listSkipped, lockImport, setImportState } from "./store.ts";

const TYPE = IMPORT.name;

interface Check {
  Valid: number;
  Invalid: number;
  Problems: ImportProblem[];
}

type Changer = Permitted<"Settings:Update">;

export interface InvitationImports extends Log<"Settings:Read", ImportRecord, typeof IMPORT_FILTERS> {
  /** Whether each person can be invited by the caller. @throws BadInput for the file, TenantBusy */
  check(caller: Changer, csv: string): Promise<Shown<Check>>;
  /** @throws BadInput if one person cannot be invited, Permission, TenantBusy, Conflict without SMTP_URL */
  create(caller: Changer, csv: string): Promise<Shown<ImportRecord>>;
  /** All people who were not invited: the line of the file, and why. @throws NotFound, Permission, TenantBusy */
  report(caller: Permitted<"Settings:Read">, id: string, format: ExportFormat): Promise<Export>;
  /** Mails that were written are sent. @throws NotFound, Permission, Conflict */
  change(caller: Changer, id: string, state: ImportState): Promise<Shown<ImportRecord>>;
}

interface InvitationImportDependencies {
  sql: Sql;
  access: Pick<Access, "findRecords" | "inTurn">;
  mailer: Mailer;
  exporter: Exporter;
}

export const importWorkflowId = (id: string) => `${TYPE}/${id}`;

export function createInvitationImports(deps: InvitationImportDependencies): InvitationImports {
  const { sql, access, mailer, exporter } = deps;
  const toRecord = (row: ImportRow) =>
    IMPORT.toRecord(row, { Skipped: row.skipped, WorkflowId: importWorkflowId(row.id) });

  async function judge(caller: Caller, csv: string): Promise<{ people: Invitee[]; problems: ImportProblem[] }> {
    const { rows, problems } = readPeople(csv);
    const people = rows.map(({ number, input }) => {
      const { email, name, roles, departmentId } = {
        ...INVITATION.blank(),
        ...INVITATION.toColumns(input),
      } as Invitation;
      return { number, email, name, roles, departmentId };
    });
    await access.inTurn(caller.tenantId, (pause) =>
      sql.beginFor(caller.tenantId, async (tx) => {
        const requireGrantable = createRequireGrantable(access, tx, caller);
        for (const person of people) {
          try {
            await requireGrantable(person);
          } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            problems.push({ Row: person.number, Field: "", Message: error.errors.join(" ") });
          }
          await pause();
        }
      }),
    );
    return { people, problems: problems.toSorted((one, other) => one.Row - other.Row) };
  }

  async function shown({ tenantId, gate }: Caller, id: string): Promise<Shown<ImportRecord>> {
    return (await gate.written(TYPE, toRecord((await IMPORTS.find(sql, tenantId, id))!), {})).record;
  }

  const log = createLog(sql, IMPORT, IMPORTS, IMPORT_FILTERS, toRecord);

  return {
    ...log,
    async report(caller, id, format) {
      await log.read(caller, id);
      return exporter(caller, format, {
        name: `invitations-skipped-${id}`,
        schema: SKIPPED,
        count: (max) => countSkipped(sql, caller.tenantId, id, max),
        async readPage(reader, after) {
          await log.read(permit(reader, ["Settings:Read"]), id);
          const rows = await listSkipped(sql, caller.tenantId, id, Number(after ?? 0), EXPORT_PAGE);
          const Next = rows.length === EXPORT_PAGE ? String(rows.at(-1)!.Row) : null;
          return { Items: rows, Next, Hidden: 0 };
        },
      });
    },
    async check(caller, csv) {
      const { people, problems } = await judge(caller, csv);
      const invalid = new Set(problems.map(({ Row }) => Row));
      const Valid = people.filter(({ number }) => !invalid.has(number)).length;
      return withoutRecords({ Valid, Invalid: problems.length, Problems: problems.slice(0, MAX_REPORTED) });
    },
    async create(caller, csv) {
      mailer.requireMail();
      const { people, problems } = await judge(caller, csv);
      if (problems.length > 0) {
        throw BadInput.in(
          problems
            .slice(0, MAX_REPORTED)
            .map(({ Row, Message }) => ({ Field: "Csv", Message: `Line ${Row}: ${Message}` })),
        );
      }
      const { tenantId, actor, permissions } = caller;
      const id = Bun.randomUUIDv7();
      await sql.beginFor(tenantId, async (tx) => {
        await insertImport(tx, tenantId, id, { clientId: Number(caller.clientId), actor }, people);
        permissions.require("Settings:Update", TYPE, toRecord((await IMPORTS.find(tx, tenantId, id))!));
        const details = { InvitationImportId: id, Total: people.length };
        await recordAudit(tx, tenantId, caller, { kind: "InvitationImport.Created", details });
      });
      return shown(caller, id);
    },
    async change(caller, id, state) {
      const { tenantId, permissions } = caller;
      await sql.beginFor(tenantId, async (tx) => {
        const before = isUuid(id) ? await lockImport(tx, tenantId, id) : undefined;
        if (!before) throw new NotFound(`There is no ${TYPE} with this Id.`);
        const row = toRecord((await IMPORTS.find(tx, tenantId, id))!);
        permissions.require("Settings:Update", TYPE, row, { ...row, State: state });
        if (before === state) return;
        if (before === "Completed" || before === "Cancelled") {
          throw new Conflict(`The import is ${before} and can no longer be changed.`);
        }
        await setImportState(tx, tenantId, id, state);
        const details = { InvitationImportId: id, State: { From: before, To: state } };
        await recordAudit(tx, tenantId, caller, { kind: "InvitationImport.Changed", details });
      });
      return shown(caller, id);
    },
  };
}

export function invitationImportRoutes(imports: InvitationImports): Route[] {
  const tag = { name: TYPE, description: IMPORT.texts.group };
  const answer = { description: "The import.", schema: IMPORT.record, example: IMPORT.example };
  const started = { ...IMPORT.example, State: "Running", Done: 0, Invited: 0, Skipped: [], EndedOn: null } as const;
  return [
    ...logRoutes(IMPORT, imports, {
      list: { summary: "List imports of invitations", description: "Newest first." },
      read: { summary: "Read an import with its progress" },
    }),
    route({
      tag,
      method: "POST",
      path: `/${TYPE}`,
      id: "createInvitationImport",
      summary: "Invite many people by a CSV file",
      description:
        "Use DryRun first: it checks each line, and sends nothing. One person without permission or with a wrong line refuses the whole file. " +
        "409 without SMTP_URL.",
      scopes: ["Settings:Update"],
      body: {
        ...IMPORT_DATA,
        description: "The file.",
        examples: { check: { Csv: "Email,Name,Roles\nana@example.com,Ana Silva,editor\n", DryRun: true } },
      },
      answer: {
        description: "The import, or with DryRun the problems.",
        schema: Type.Union([IMPORT.record, IMPORT_CHECK]),
        example: started,
      },
      errors: ["Conflict", "ServiceBusy"],
      handle: (caller, { input: { Csv, DryRun } }) =>
        DryRun ? imports.check(caller, Csv) : imports.create(caller, Csv),
    }),
    route({
      tag,
      method: "PATCH",
      path: `/${TYPE}/{Id}`,
      params: { Id: uuidParameter("The import's Id.", TYPE) },
      id: "changeInvitationImport",
      summary: "Pause, resume or cancel an import",
      description: "People who were invited stay invited.",
      scopes: ["Settings:Update"],
      body: { ...IMPORT_CHANGE, description: "The wanted state.", examples: { pause: { State: "Paused" } } },
      answer,
      errors: ["NotFound", "Conflict"],
      handle: (caller, { params: { Id }, input: { State } }) => imports.change(caller, Id, State),
    }),
  ];
}
