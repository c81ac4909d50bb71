// Every GET of the API and every page of Settings, as the document and the routes list them.

import { strFromU8, unzipSync } from "fflate";
import type { Api } from "../world/api.ts";
import { fill, PATHS } from "../world/every-path.ts";
import { Visitor } from "../world/visitor.ts";

export interface Answered {
  path: string;
  status: number;
  text: string;
}

type Operation = { parameters?: { name?: string }[] };

const BASE = "/Endpoint/rest/api/v1";

const streamed = (get: Operation) => get.parameters?.some(({ name }) => name === "Seconds") ?? false;

/** An id by which a stream later begins with the events from now on. */
export async function momentOf(api: Api): Promise<string> {
  const { body } = await api.get("/WebhookEvent/Stream?Seconds=1");
  return /^id: (.+)$/m.exec(body)![1]!;
}

/**
 * For every record in the lists. Archives are unpacked.
 * @param since for streams, by `momentOf` @param more further Ids by list, such as of a User who is gone
 */
export async function everyAnswer(api: Api, since: string, more: Record<string, string[]>): Promise<Answered[]> {
  const { paths } = (await (await fetch(`${api.url}/openapi.json`)).json()) as {
    paths: Record<string, { get?: Operation }>;
  };
  const gets = Object.entries(paths).flatMap(([path, { get }]) =>
    get && path.startsWith(BASE) ? [{ path, get }] : [],
  );
  const ids = new Map(Object.entries(more).map(([list, own]) => [BASE + list, own]));
  const answered: Answered[] = [];
  // Lists come before what is below them.
  const depth = ({ path }: { path: string }) => path.split("/").length;
  for (const { path, get } of gets.toSorted((one, other) => depth(one) - depth(other))) {
    for (const filled of filledIn(path, ids)) {
      const headers = { authorization: api.authorization, "last-event-id": since };
      const response = await fetch(api.url + filled + (streamed(get) ? "?Seconds=1" : ""), { headers });
      const text = await textOf(response);
      answered.push({ path: filled, status: response.status, text });
      if (response.headers.get("content-type")?.startsWith("application/json")) {
        const items: { Id?: unknown; EventId?: unknown }[] = JSON.parse(text).Items ?? [];
        const found = items.flatMap(({ EventId, Id }) => EventId ?? Id ?? []).map(String);
        ids.set(filled, [...(ids.get(filled) ?? []), ...found]);
      }
    }
  }
  return answered;
}

/** The path with every known Id in the place of each parameter; with any Id where none is known. */
function filledIn(path: string, ids: ReadonlyMap<string, string[]>): string[] {
  let filled = [""];
  for (const segment of path.split("/").slice(1)) {
    filled = filled.flatMap((before) => {
      if (!segment.startsWith("{")) return [`${before}/${segment}`];
      const known = ids.get(before) ?? [];
      return (known.length > 0 ? known : [Bun.randomUUIDv7()]).map((id) => `${before}/${encodeURIComponent(id)}`);
    });
  }
  return filled;
}

async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "application/zip") return response.text();
  return Object.values(unzipSync(await response.bytes()))
    .map((bytes) => strFromU8(bytes))
    .join("\n");
}

/**
 * As the tenant's administrator: every page that a link leads to, and every registered path for each record with a link.
 * @param origin of PUBLIC_URL @param more further Ids by the first part of the path
 */
export async function everyPage(api: Api, origin: string, more: Record<string, string[]>): Promise<Answered[]> {
  const visitor = new Visitor(origin);
  const { admin, tenantId } = api.tenant;
  await visitor.submit(await visitor.open(`/settings?organisation=${tenantId}`), admin);
  const answered = new Map<string, Answered>();
  const look = async (path: string) => {
    if (answered.has(path)) return;
    const { status, html: text } = await visitor.open(path);
    answered.set(path, { path, status, text });
    for (const [, href] of text.matchAll(/href="([^"#]*)"/g)) {
      const { pathname, host } = new URL(href!.replaceAll("&amp;", "&"), origin + path);
      if (host === new URL(origin).host && /^\/settings(\/|$)/.test(pathname) && !/sign-/.test(pathname)) {
        await look(pathname);
      }
    }
  };
  await look("/settings");
  const linked = [...answered.keys()].map((path) => path.split("/"));
  for (const path of PATHS) {
    const area = path.split("/")[2]!;
    const ids = linked.filter((parts) => parts[2] === area && parts[3]).map((parts) => parts[3]!);
    for (const id of new Set([...ids, ...(more[area] ?? []), Bun.randomUUIDv7()]))
      await look(fill(path, { [area]: id }));
  }
  return [...answered.values()];
}

/** @returns where each of the values is */
export function foundIn(answered: readonly Answered[], values: readonly string[]): string[] {
  return answered.flatMap(({ path, text }) =>
    values.filter((value) => text.includes(value)).map((value) => `${path}: ${value}`),
  );
}
