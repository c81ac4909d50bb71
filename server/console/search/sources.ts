// The sources of search results. Each uses the service of its page, so scopes and policies apply.

import { ApiError } from "../../platform/errors.ts";
import { isSaneKey } from "../../platform/http/context.ts";
import { firstPage, isUuid, toRecordId } from "../../platform/http/query.ts";
import { searchForm } from "../../platform/text.ts";
import type { EntityService } from "../../records/index.ts";
import { toEventId, toRedeliveryId } from "../../webhooks/index.ts";
import { titleOfEvent } from "../activity/list.tsx";
import type { ConsoleServices, Visit } from "../page.tsx";
import { titleOfConnection, titleOfRecord } from "../records/names.ts";
import { listRecords } from "../records/records.tsx";
import { findRequest, titleOfRequest } from "../requests.tsx";
import { ERASURES } from "../users/erasures.tsx";

export interface SearchAnswer {
  title: string;
  detail: string;
  path: string;
}

/** The maximum results of one source. */
const MAX_SHOWN = 5;
/** Shorter texts would match nearly every name. */
const MIN_CHARACTERS = 2;

/** Suggestions should appear before the next key press. */
const SEARCH_MS = 400;

export interface SearchResult {
  answers: SearchAnswer[];
  /** A source was too slow or busy. */
  isPartial: boolean;
}

type Find = (deps: ConsoleServices, visit: Visit, text: string) => Promise<SearchAnswer[]>;

/** Exact matches first. Sources run in turn on one PostgreSQL connection at most, until the client disconnects. */
export async function search(
  deps: ConsoleServices,
  visit: Visit,
  text: string,
  commands: readonly SearchAnswer[],
): Promise<SearchResult> {
  const found: SearchAnswer[] = [];
  let isPartial = false;
  for (const find of [...BY_ID, ...byText(deps)]) {
    if (visit.request.signal.aborted) break;
    // Searching names is the slowest, and a UUID that was found by Id needs no further search.
    if (found.length > 0 && isUuid(text) && !BY_ID.includes(find)) break;
    try {
      found.push(...(await find(deps, visit, text)));
    } catch (error) {
      if (!isOneOf(error, REFUSED) && !isOneOf(error, BUSY)) throw error;
      isPartial ||= isOneOf(error, BUSY);
    }
  }
  return { answers: ranked([...found, ...holding(text, commands)], text), isPartial };
}

/** Hidden and missing records are treated the same. */
const REFUSED = [403, 404];
const BUSY = [429, 503];

function isOneOf(error: unknown, statuses: readonly number[]): boolean {
  return error instanceof ApiError && statuses.includes(error.status);
}

function ranked(found: readonly SearchAnswer[], text: string): SearchAnswer[] {
  const answers = [...new Map(found.map((answer) => [answer.path, answer])).values()];
  const wanted = searchForm(text);
  const rank = ({ title, path }: SearchAnswer) => {
    const name = searchForm(title);
    if (name === wanted || path.endsWith(`/${text.toLowerCase()}`)) return 0;
    return name.startsWith(wanted) ? 1 : 2;
  };
  return answers.toSorted((one, other) => rank(one) - rank(other));
}

const event: Find = async ({ eventLog }, visit, text) => {
  if (!isUuid(text) || !visit.may("Webhooks:Read")) return [];
  const { record } = await eventLog.read(visit.caller, toEventId(text.toLowerCase()));
  return [
    {
      title: titleOfEvent(record),
      detail: `Event ${record.EventId}`,
      path: path(visit, "WebhookEvent", record.EventId),
    },
  ];
};

const connectionById: Find = async ({ connections }, visit, text) => {
  if (!isUuid(text) || !visit.may("Webhooks:Read")) return [];
  const { record } = await connections.read(visit.caller, text);
  return [
    { title: titleOfConnection(record), detail: "Connection", path: path(visit, "WebhookConnection", record.Id) },
  ];
};

const redelivery: Find = async ({ redeliveries }, visit, text) => {
  if (!isUuid(text) || !visit.may("Webhooks:Read")) return [];
  const { Id, Kind } = await redeliveries.read(visit.caller, toRedeliveryId(text));
  return [{ title: Kind, detail: `Redelivery ${Id}`, path: path(visit, "Redelivery", Id) }];
};

const auditRow: Find = async ({ auditLog }, visit, text) => {
  if (!isUuid(text) || !visit.may("Settings:Read")) return [];
  const { Id, Kind } = await auditLog.read(visit.permitted("Settings:Read"), text);
  return [{ title: Kind, detail: `Audit log ${Id}`, path: `/settings/audit-log/${Id}` }];
};

const erasure: Find = async ({ erasures }, visit, text) => {
  if (!isUuid(text) || !visit.may("AccessManager:Read")) return [];
  const { Id, UserId } = await erasures.read(visit.permitted("AccessManager:Read"), text);
  return [{ title: `Erasure of User ${UserId}`, detail: `Erasure ${Id}`, path: `${ERASURES}/${Id}` }];
};

const requestKey: Find = async ({ auditLog, requests }, visit, text) => {
  if (!isSaneKey(text) || !visit.may("Settings:Read")) return [];
  const request = await findRequest(requests, visit, { RequestKey: text });
  const { Items } = await auditLog.list(visit.permitted("Settings:Read"), { RequestKey: text }, firstPage(MAX_SHOWN));
  const made = Items.map(({ Id, Kind }) => ({
    title: Kind,
    detail: `Audit log, RequestKey ${text}`,
    path: `/settings/audit-log/${Id}`,
  }));
  if (!request) return made;
  return [
    { title: titleOfRequest(request), detail: `Request ${text}`, path: path(visit, "Request", request.Id) },
    ...made,
  ];
};

const recordById: Find = async ({ records, settings }, visit, text) => {
  const types = [...records.all.map(({ entity }) => entity.name), ...Object.values(settings).map(typeOf)];
  if (toRecordId(text) === undefined && !isUuid(text)) return [];
  const found: SearchAnswer[] = [];
  for (const Type of types) {
    found.push(...answersOf(visit, Type, await visit.caller.gate.known(Type, [text.toLowerCase()])));
  }
  return found;
};

const recordByText =
  (service: EntityService): Find =>
  async (_, visit, text) => {
    if (text.length < MIN_CHARACTERS || !visit.may("AccessManager:Read")) return [];
    const query = new URLSearchParams({ Search: text, Limit: String(MAX_SHOWN) });
    const { Items } = await listRecords<Row>(service, visit, query, SEARCH_MS);
    return answersOf(visit, service.entity.name, Items);
  };

const settingsByText: Find = async ({ settings }, visit, text) => {
  if (text.length < MIN_CHARACTERS || !visit.may("Settings:Read")) return [];
  const caller = visit.permitted("Settings:Read");
  const found: SearchAnswer[] = [];
  for (const kind of Object.values(settings)) {
    const { Items } = await kind.service.list(caller, { Search: text }, firstPage(MAX_SHOWN));
    found.push(...answersOf(visit, typeOf(kind), Items));
  }
  return found;
};

const connectionByText: Find = async ({ connections }, visit, text) => {
  const { caller } = visit;
  if (text.length < MIN_CHARACTERS || !caller.scopes.has("Webhooks:Read")) return [];
  const { Items } = await connections.list(caller, { Search: text }, firstPage(MAX_SHOWN));
  return Items.map((record) => ({
    title: titleOfConnection(record),
    detail: "Connection",
    path: path(visit, "WebhookConnection", record.Id),
  }));
};

const BY_ID: readonly Find[] = [event, connectionById, redelivery, auditRow, erasure, recordById, requestKey];
const byText = ({ records }: ConsoleServices): readonly Find[] => [
  ...records.all.map(recordByText),
  connectionByText,
  settingsByText,
];

type Row = Record<string, unknown>;

const path = (visit: Visit, Type: string, Id: string) => visit.pathOf({ Type, Id })!;
const typeOf = ({ type }: ConsoleServices["settings"][string]) => type.name;

function answersOf(visit: Visit, Type: string, records: readonly Row[]): SearchAnswer[] {
  return records.flatMap((record) => {
    const one = { Type, Id: String(record.Id) };
    const at = visit.pathOf(one);
    const known = Type === "Application" ? `Application, client_id ${one.Id}` : `${inWords(Type)} ${one.Id}`;
    return at === undefined ? [] : [{ title: titleOfRecord(record) ?? known, detail: known, path: at }];
  });
}

/** Converts "IdentityProvider" to readable words. */
const inWords = (type: string) => type.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function holding(text: string, answers: readonly SearchAnswer[]): SearchAnswer[] {
  const wanted = searchForm(text);
  if (text.length < MIN_CHARACTERS) return [];
  return answers.filter(({ title }) => searchForm(title).includes(wanted)).slice(0, MAX_SHOWN);
}
