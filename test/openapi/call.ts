// A call of the API whose answer is checked against the document.

import type { Api } from "../world/api.ts";
import { expectDocumented, type Json } from "../world/documented.ts";
import { shared } from "../world/tenant.ts";

export const API = "/Endpoint/rest/api/v1";
const JSON_TYPE = { "content-type": "application/json" };

/** @param at the actual path, if the document's path has parameters */
export interface CallOptions {
  at?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** @param path as in the document, with a query */
export async function callDocumented(
  document: Json,
  caller: Api | undefined,
  method: string,
  path: string,
  status: number,
  options: CallOptions = {},
): Promise<{ body: Json; headers: Headers }> {
  const { at = path.replace(/\?.*/, ""), body, headers } = options;
  const response = await fetch(shared().url + at + (path.match(/\?.*/)?.[0] ?? ""), {
    method,
    headers: { ...(caller && { authorization: `Bearer ${caller.token}` }), ...(body ? JSON_TYPE : {}), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const answer = await expectDocumented(document, method, path.replace(/\?.*/, ""), response, status);
  return { body: answer, headers: response.headers };
}
