// Names that every JavaScript object has, and numbers out of range, sent wherever a text is accepted. Gatehouse treats
// each as ordinary text or reports an error, and never answers 500.

import { describe, expect, test } from "bun:test";
import { type DocumentedOperation, operationsOf, readDocument, resolve } from "../world/documented.ts";
import { newTenant, shared } from "../world/tenant.ts";

const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty"];
const NUMBERS = ["65536", "99999999999999999999", "-1", "1e999", "NaN", "0x10"];

const api = await newTenant();
const document = await readDocument();
const operations = operationsOf(document).filter(({ path }) => path.startsWith("/"));

/** The parts of a schema that accept a text, number or list, as paths of names. */
function fieldsOf(schema: unknown): string[] {
  const { properties = {}, anyOf = [], allOf = [], oneOf = [] } = resolve(document, schema) ?? {};
  return [...Object.keys(properties), ...[...anyOf, ...allOf, ...oneOf].flatMap(fieldsOf)];
}

const parametersOf = ({ path, operation }: DocumentedOperation, where: string): string[] =>
  [...(operation.parameters ?? []), ...(document.paths[path].parameters ?? [])]
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => parameter.in === where)
    .map(({ name }) => name);

async function send(method: string, path: string, init: RequestInit = {}): Promise<string | undefined> {
  const answer = await fetch(shared().url + path, {
    method,
    redirect: "manual",
    ...init,
    headers: { authorization: api.authorization, ...(init.headers as Record<string, string>) },
  });
  await answer.arrayBuffer();
  return answer.status >= 500 ? `${method} ${path} ${init.body ?? ""}: ${answer.status}` : undefined;
}

const filled = (path: string, value: string) => path.replace(/\{[^}]+\}/g, encodeURIComponent(value));

describe.concurrent.each([...NAMES, ...NUMBERS])("%s", (value) => {
  test("as an Id, a filter, a parameter, and each field of every form and body", async () => {
    const wrong: (string | undefined)[] = [];
    for (const one of operations) {
      const method = one.method.toUpperCase();
      // A stream opened with valid input stays open.
      if (one.path.endsWith("/Stream")) continue;
      const path = filled(one.path, value);
      const query = parametersOf(one, "query");
      if (method === "GET") {
        wrong.push(await send("GET", path));
        for (const name of query) wrong.push(await send("GET", `${path}?${new URLSearchParams([[name, value]])}`));
        wrong.push(await send("GET", `${path}?${new URLSearchParams([[value, value]])}`));
        continue;
      }
      const content = one.operation.requestBody?.content ?? {};
      for (const [type, { schema }] of Object.entries<{ schema: unknown }>(content)) {
        const fields = new Set(fieldsOf(schema));
        const isForm = type !== "application/json";
        for (const name of [...fields, value]) {
          const bodies = isForm
            ? [value]
            : [value, [value], { [value]: value }, [{ Name: value, Type: value, Id: value }]];
          for (const sent of bodies) {
            const own = new URLSearchParams({ client_id: api.clientId, client_secret: api.clientSecret });
            if (isForm) own.set(name, value);
            const body = isForm ? own : JSON.stringify(Object.fromEntries([[name, sent]]));
            wrong.push(await send(method, path, { body, ...(!isForm && { headers: { "content-type": type } }) }));
          }
        }
      }
    }
    expect(wrong.filter(Boolean)).toEqual([]);
  });
});
