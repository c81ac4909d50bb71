// Raw requests to the token endpoint.

import { expect } from "bun:test";
import { type Answer, db, request, TOKEN_PATH } from "../entities/client.ts";
import { newPerson, ok } from "../policies/people.ts";
import type { Api } from "../support/api.ts";
import { newTenant } from "../support/tenant.ts";

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** The form of SPEC.md Endpoints 3, with additional or replaced fields; undefined removes one. */
export function formOf(client: Credentials, fields: Record<string, string | undefined> = {}): URLSearchParams {
  const all = {
    grant_type: "client_credentials",
    client_id: client.clientId,
    client_secret: client.clientSecret,
    ...fields,
  };
  return new URLSearchParams(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

export function askToken(body: BodyInit, headers: Record<string, string> = {}): Promise<Answer> {
  return request("POST", TOKEN_PATH, { body, headers });
}

export function basic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}

/** Changed by another administrator, because a client may not remove its own access to Settings. */
export async function changeCredentials(own: Api, changes: Record<string, unknown>): Promise<void> {
  await ok((await newPerson(own, "admin")).patch(`/Application/${own.clientId}/Credentials`, changes));
}

/** A client with a secret and every grant, which the API does not allow for public clients. It is not cached yet. */
export async function newClientOfType(type: string): Promise<Credentials> {
  const { tenant } = await newTenant();
  await db()`update credentials set client_type = ${type} where application_id = ${tenant.client.clientId}`;
  return tenant.client;
}

/** SPEC.md "Token endpoint errors", complete. */
export function expectTokenError(answer: Answer, status: number, word: string, says?: RegExp): void {
  expect(answer.body).toEqual({
    error: word,
    error_description: expect.stringMatching(/./),
    Errors: [expect.stringMatching(/./)],
    Type: `/Errors/${word}`,
    Title: expect.stringMatching(/./),
    StatusCode: status,
    Instance: TOKEN_PATH,
  });
  expect(answer.headers.get("x-request-id")).toMatch(/./);
  expect(answer.status).toBe(status);
  expect(answer.body.error_description).toBe(answer.body.Errors[0]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  if (says) expect(answer.body.error_description).toMatch(says);
}
