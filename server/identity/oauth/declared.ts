// Declarations of OAuth endpoints, from which their code and the OpenAPI document derive.

import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { ApiError } from "../../platform/errors.ts";
import type { Tag } from "../../platform/http/route.ts";
import type { Door } from "./door.ts";

export const SPEC_TAG: Tag = { name: "OAuth", description: "Access tokens, and the keys that verify them." };
export const RFC_TAG: Tag = {
  name: "OAuth 2.0",
  description: "The endpoints that OAuth client libraries use, strictly by the RFCs.",
};
export const SIGN_IN_TAG: Tag = {
  name: "Sign-in",
  description: "Users sign in and out in their browsers (OpenID Connect).",
};

export const CLIENT = { client_id: "7", client_secret: "<SECRET>" };

interface EndpointText {
  path: string;
  summary: string;
  description?: string;
}

interface Answered {
  description: string;
  schema?: TSchema;
  example?: object;
}

export interface Refusal {
  when: string;
  error: ApiError;
  headers?: string[];
}

/** A client sends a form with its credentials and gets JSON. */
export interface FormEndpoint<Form extends TObject = TObject> extends EndpointText {
  kind: "form";
  door: Door;
  id: string;
  form: Form;
  examples: Record<string, { [Name in keyof Static<Form>]?: string }>;
  answer: Answered;
  /** Default: 200. */
  status?: 201;
  repeatable?: string[];
  refused: Refusal[];
}

/** A form's fields; a field without a value is absent (RFC 6749 3.2). */
export type Sent<Form extends TObject> = { [Name in keyof Static<Form>]: string };

export interface PageEndpoint extends EndpointText {
  kind: "page";
  id: Record<"get" | "post", string>;
  takes: TObject;
  /** The page or redirect, by status. */
  answers: Record<number, string>;
}

export interface PublicEndpoint extends EndpointText {
  kind: "public";
  tag: Tag;
  id: string;
  answer: Answered;
}

/** Takes an access token or a registration token, and answers JSON. */
export interface BearerEndpoint extends Pick<EndpointText, "path"> {
  kind: "bearer";
  operations: Partial<Record<"get" | "post" | "put" | "delete", BearerOperation>>;
}

export interface BearerOperation extends Omit<EndpointText, "path"> {
  id: string;
  tag: Tag;
  /** As OpenAPI has it: one of these, {} for none. */
  security: Record<string, "openid"[]>[];
  params?: Record<string, string>;
  body?: { schema: TSchema; example: object };
  status?: 201 | 204;
  answer: Answered;
  /** By status (RFC 6750 3.1, RFC 7591 3.2.2). */
  refused: Record<number, { when: string; error: string; headers?: string[] }>;
}
