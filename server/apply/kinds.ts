// The kinds of records in a file: all that the API upserts, by the declarations from which the API is made.

import type { Contract } from "../http/contract.ts";
import type { Field, Fields } from "../http/fields.ts";
import { namesOfEventRecords } from "../kinds.ts";
import { CREDENTIALS } from "../oauth/index.ts";
import { ACTOR_FIELDS, type Declaration, type Entity } from "../records/index.ts";
import type { SettingsKinds } from "../settings.ts";
import { TENANT_SETTINGS } from "../tenants/index.ts";
import { connectionContract } from "../webhooks/index.ts";

export interface FileKind {
  name: string;
  contract: Contract<Fields>;
  /** Fields that find a record; none: there is one for each tenant, or for each record of `partOf`. */
  identifiers: readonly string[];
  partOf: string | undefined;
  settable: ReadonlyMap<string, ApplyField>;
}

type ApplyField = Field & { type?: string };

/** The server knows the allowed addresses. */
const checkUrl = (url: string) => (URL.canParse(url) ? undefined : "This is no address.");

/** Settings of the tenant come first, and policies and roles last, because they can restrict the caller. */
export function kindsOf(entities: readonly Entity[], settings: SettingsKinds): FileKind[] {
  const connection = connectionContract({ entities: namesOfEventRecords(entities), checkUrl });
  const others = [connection, ...Object.values(settings).map(({ type }) => type)];
  return [
    kindOf(TENANT_SETTINGS, []),
    ...entities.map((entity) => kindOf(entity, entity.identifiers)),
    kindOf(CREDENTIALS, []),
    // Their lists have no filter by further identifiers.
    ...others.map((type) => kindOf(type, type.identifiers.slice(0, 1))),
  ];
}

const SET_BY_SERVER = ["Id", ...ACTOR_FIELDS.map(({ name }) => name)];

function kindOf(declaration: unknown, identifiers: readonly string[]): FileKind {
  const contract = declaration as Declaration;
  const sent = Object.entries(contract.field).filter(([, field]) => field.sent && !field.readOnly);
  const settable = new Map(sent.filter(([name]) => !SET_BY_SERVER.includes(name)));
  return { name: contract.name, contract, identifiers, partOf: contract.partOf, settable };
}

/** A value that only its owner may know. */
export const isSecret = ({ writeOnly, form, type }: ApplyField) =>
  (writeOnly === true && type !== "reference") || form?.type === "password";
