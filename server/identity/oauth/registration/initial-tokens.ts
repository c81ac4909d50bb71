// Initial access tokens (RFC 7591 3): …/RegistrationToken. Each registers a limited number of clients.

import { Type } from "@sinclair/typebox";
import type { Sql } from "../../../platform/db/sql.ts";
import { Conflict, NotFound } from "../../../platform/errors.ts";
import { NO_STORE } from "../../../platform/http/conditions.ts";
import { body, withSecret } from "../../../platform/http/contract.ts";
import { type InputOf, integer, readOnly, serverTime, title, uuid } from "../../../platform/http/fields.ts";
import { isUuid, uuidParameter } from "../../../platform/http/query.ts";
import type { Route } from "../../../platform/http/route.ts";
import {
  type Permitted,
  record,
  recordAudit,
  route,
  SETTING,
  type Shown,
  type ShownPage,
  withoutRecords,
} from "../../../records/index.ts";
import { digestOf, newOpaqueValue } from "../../signin/opaque.ts";
import { deleteInitialToken, insertInitialToken, listInitialTokens, lockInitialTokens } from "./store.ts";

export const MAX_INITIAL_TOKENS = 50;
/** The maximum number of characters. */
const NAME_LIMIT = 100;
const USES = [1, 1_000] as const;
/** The minimum, maximum and default in seconds. */
const LIFETIME = [60, 90 * 86_400] as const;
const STANDARD_LIFETIME = 7 * 86_400;

const NAME = title(NAME_LIMIT, {
  description: "Distinguishes it from others, such as by its recipient.",
  judged: true,
  example: "CI",
});

/** The token itself is not among its fields. It is never changed. */
export const REGISTRATION_TOKEN = record("RegistrationToken", {
  table: "registration_tokens",
  nouns: ["initial access token", "initial access tokens"],
  description: "An initial access token (RFC 7591).",
  scopes: SETTING,
  fields: {
    Id: readOnly(uuid(), { judged: true, example: "0197c6f5-0a1b-7c2d-8e3f-405162738495" }),
    Name: { ...NAME, shown: Type.String(), description: "" },
    UsesLeft: readOnly(Type.Integer(), { example: 10 }),
    ExpiresOn: serverTime({ example: "2026-02-01T12:00:00.000Z" }),
    CreatedOn: serverTime({ example: "2026-01-31T12:00:00.000Z" }),
  },
  texts: { group: "Tokens that let applications register themselves.", remove: "" },
});
const { name: RESOURCE, record: TOKEN, example: EXAMPLE, toRecord } = REGISTRATION_TOKEN;

const NEW_TOKEN_FIELDS = {
  Name: NAME,
  Uses: integer(...USES, "clients", { description: "How many clients can register with it. null: 1.", example: 10 }),
  Lifetime: integer(...LIFETIME, "seconds", {
    description: `Its lifetime. null: ${STANDARD_LIFETIME} seconds, 7 days.`,
    example: 86_400,
  }),
};

export const NEW_TOKEN_BODY = body({ name: RESOURCE, $id: "RegistrationTokenData" }, NEW_TOKEN_FIELDS);
type Input = InputOf<typeof NEW_TOKEN_FIELDS>;

export type InitialTokenRecord = ReturnType<typeof toRecord>;

export interface InitialTokens {
  /** Valid tokens. @throws Permission */
  list(by: Permitted<"Settings:Read">): Promise<ShownPage<InitialTokenRecord>>;
  /** The token cannot be read again. @throws Permission, Conflict */
  make(by: Permitted<"Settings:Update">, input: Input): Promise<Shown<InitialTokenRecord & { Token: string }>>;
  /** Clients registered with it stay. @throws Permission, NotFound */
  remove(by: Permitted<"Settings:Update">, id: string): Promise<Shown<InitialTokenRecord>>;
}

export function createInitialTokens(sql: Sql): InitialTokens {
  return {
    async list(by) {
      const records = (await listInitialTokens(sql, by.tenantId)).map((token) => toRecord(token));
      return by.gate.page(await by.gate.only(RESOURCE, records, {}), records.length);
    },

    async make(by, { Name, Uses, Lifetime }) {
      by.permissions.require("Settings:Update", RESOURCE, { Id: "", Name: Name ?? "" });
      const token = newOpaqueValue();
      const given = { name: Name ?? "", uses: Uses ?? 1, seconds: Lifetime ?? STANDARD_LIFETIME };
      const stored = await sql.beginFor(by.tenantId, async (tx) => {
        if ((await lockInitialTokens(tx, by.tenantId)).length >= MAX_INITIAL_TOKENS) {
          throw new Conflict(`There are already ${MAX_INITIAL_TOKENS} initial access tokens. Delete one first.`);
        }
        const made = await insertInitialToken(tx, by.tenantId, { ...given, digest: digestOf(token) });
        await recordAudit(tx, by.tenantId, by, {
          kind: "RegistrationToken.Created",
          details: { RegistrationTokenId: made.id, Uses: given.uses, ExpiresOn: made.expiresOn.toISOString() },
        });
        return made;
      });
      return withoutRecords({ ...toRecord(stored), Token: token });
    },

    async remove(by, id) {
      const gone = await sql.beginFor(by.tenantId, async (tx) => {
        const deleted = isUuid(id) ? await deleteInitialToken(tx, by.tenantId, id) : undefined;
        if (!deleted) throw new NotFound("There is no initial access token with this Id.");
        by.permissions.require("Settings:Update", RESOURCE, toRecord(deleted));
        await recordAudit(tx, by.tenantId, by, {
          kind: "RegistrationToken.Deleted",
          details: { RegistrationTokenId: deleted.id },
        });
        return deleted;
      });
      return (await by.gate.written(RESOURCE, toRecord(gone), {})).record;
    },
  };
}

export function initialTokenRoutes(tokens: InitialTokens): Route[] {
  const path = `/${RESOURCE}`;
  const tag = { name: "Client registration", description: REGISTRATION_TOKEN.texts.group };
  return [
    route({
      method: "GET",
      path,
      id: "listRegistrationTokens",
      tag,
      summary: "List valid initial access tokens, without their values",
      scopes: ["Settings:Read"],
      answer: { description: "All of them, newest first.", schema: TOKEN, example: EXAMPLE, list: true },
      handle: (caller) => tokens.list(caller),
    }),
    route({
      method: "POST",
      path,
      id: "makeRegistrationToken",
      tag,
      summary: "Create an initial access token (RFC 7591): `Token` in the response, shown once",
      description: `Only this response contains it. ${MAX_INITIAL_TOKENS} can be valid at a time; a further one is 409.`,
      scopes: ["Settings:Update"],
      body: {
        ...NEW_TOKEN_BODY,
        description: "Optional.",
        optional: true,
        examples: { tenClients: { Name: "CI", Uses: 10, Lifetime: 86_400 } },
      },
      answer: {
        description: "The token.",
        ...withSecret(REGISTRATION_TOKEN, "NewRegistrationToken", "Token"),
        headers: NO_STORE,
      },
      errors: ["Conflict"],
      handle: (caller, { input }) => tokens.make(caller, input),
    }),
    route({
      method: "DELETE",
      path: `${path}/{Id}`,
      id: "deleteRegistrationToken",
      tag,
      summary: "Delete an initial access token",
      description: "Clients registered with it stay.",
      scopes: ["Settings:Update"],
      params: { Id: uuidParameter("The token's Id.", RESOURCE) },
      answer: { description: "The deleted token, without its value.", schema: TOKEN, example: EXAMPLE },
      handle: (caller, { params: { Id } }) => tokens.remove(caller, Id),
    }),
  ];
}
