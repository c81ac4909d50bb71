// The kinds of records in a file: all that the API upserts, by the declarations from which the API is made.

import { CREDENTIALS, type SettingsKinds, tenants } from "../../identity/index.ts";
import { namesOfEventRecords } from "../../kinds.ts";
import { readUrl } from "../../platform/address.ts";
import type { Contract } from "../../platform/http/contract.ts";
import type { Field, Fields } from "../../platform/http/fields.ts";
import { asTyped, TEXT_LIMIT } from "../../platform/text.ts";
import { ACTOR_FIELDS, type Declaration, type Entity } from "../../records/index.ts";
import { connectionContract } from "../../webhooks/index.ts";

export interface FileKind {
  name: string;
  contract: Contract<Fields>;
  /** Fields that find a record; none: there is one for each tenant, or for each record of `partOf`. */
  identifiers: readonly string[];
  partOf: string | undefined;
  /** Its self-made records are found only by their Ids. */
  selfMade: Declaration["selfMade"];
  settable: ReadonlyMap<string, Field>;
}

/** A value in the form in which the server compares it. */
export function comparable({ settable }: FileKind, name: string, value: unknown): unknown {
  const text = typeof value === "string" ? (asTyped(value, TEXT_LIMIT).text ?? value) : undefined;
  return text === undefined ? value : settable.get(name)?.compared?.keyOf(text) || text;
}

/** The server knows the allowed addresses. */
const checkUrl = (url: string) =>
  readUrl(url) ? undefined : "The URL must be written in full, such as https://example.com/path.";

/** Settings of the tenant come first, and policies and roles last, because they can restrict the caller. */
export function kindsOf(entities: readonly Entity[], settings: SettingsKinds): FileKind[] {
  const connection = connectionContract({ entities: namesOfEventRecords(entities, settings), checkUrl });
  const kept = Object.values(settings).filter((kind) => !("isInFiles" in kind) || kind.isInFiles);
  const others = [connection, ...kept.map(({ type }) => type)];
  return [
    kindOf(tenants.TENANT_SETTINGS, []),
    ...entities.map((entity) => kindOf(entity, entity.identifiers)),
    kindOf(CREDENTIALS, []),
    // Their lists have no filter by further identifiers.
    ...others.map((type) => kindOf(type, type.identifiers.slice(0, 1))),
  ];
}

const SET_BY_SERVER = ["Id", ...ACTOR_FIELDS.map(({ name }) => name)];

function kindOf(contract: Declaration, identifiers: readonly string[]): FileKind {
  const sent = Object.entries(contract.field).filter(([, field]) => field.sent && !field.readOnly);
  const settable = new Map(sent.filter(([name]) => !SET_BY_SERVER.includes(name)));
  const { name, partOf, selfMade } = contract;
  return { name, contract, identifiers, partOf, selfMade, settable };
}

/** A value that only its owner may know. */
export const isSecret = ({ writeOnly, form, type }: Field) =>
  (writeOnly === true && type !== "reference") || form?.type === "password";
