// The document as served by Gatehouse, and its description of an answer.

import { expect } from "bun:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { shared } from "./tenant.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests check its type.
export type Json = any;

export async function readDocument(): Promise<Json> {
  const response = await fetch(`${shared().url}/openapi.json`);
  expect(response.status).toBe(200);
  return response.json();
}

export interface DocumentedOperation {
  path: string;
  method: string;
  operation: Json;
}

/** Every operation, including calls that Gatehouse makes. */
export function operationsOf(document: Json): DocumentedOperation[] {
  return Object.entries<Json>({ ...document.paths, ...document.webhooks }).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

/** Follows a reference within the document. */
export function resolve(document: Json, value: Json): Json {
  if (value?.$ref === undefined) return value;
  const parts = String(value.$ref).replace(/^#\//, "").split("/");
  return parts.reduce((part, name) => part[name.replaceAll("~1", "/").replaceAll("~0", "~")], document);
}

/** Validates a value against a schema of the document; undocumented properties are errors. */
export type Validate = (schema: Json, value: unknown) => unknown;

const validators = new WeakMap<object, Validate>();

export function validatorOf(document: Json): Validate {
  const validate = validators.get(document) ?? createValidator(document);
  validators.set(document, validate);
  return validate;
}

function createValidator(document: Json): Validate {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema(closed(document), "document");
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const absolute = JSON.stringify(closed(schema)).replaceAll('"#/', '"document#/');
    const validate = compiled.get(absolute) ?? ajv.compile(JSON.parse(absolute));
    compiled.set(absolute, validate);
    return validate(value) ? undefined : validate.errors;
  };
}

/** A copy whose objects allow only documented properties. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]));
  return typeof copy.properties === "object" ? { additionalProperties: false, ...copy } : copy;
}

/** Checks an answer against the operation in the document. @param path as in the document @returns the body */
export async function expectDocumented(
  document: Json,
  method: string,
  path: string,
  response: Response,
  status: number,
): Promise<Json> {
  const operation = document.paths[path]?.[method.toLowerCase()];
  const answer = resolve(document, operation?.responses[String(response.status)]);
  const text = await response.text();
  expect({ path, method, status: response.status, text: response.status === status || text }).toEqual({
    path,
    method,
    status,
    text: true,
  });
  expect({ path, method, status, documented: answer !== undefined }).toMatchObject({ documented: true });
  expect(response.headers.get("x-request-id")).toBeTruthy();
  for (const header of ["WWW-Authenticate", "Allow", "RateLimit", "RateLimit-Policy"]) {
    if (answer.headers?.[header]) expect([header, response.headers.get(header)]).not.toEqual([header, null]);
  }
  if (answer.content === undefined) {
    expect(text).toBe("");
    return undefined;
  }
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  const body = JSON.parse(text);
  const problems = validatorOf(document)(answer.content["application/json"].schema, body);
  expect({ path, method, status, body, problems }).toEqual({ path, method, status, body, problems: undefined });
  return body;
}
