// An endpoint of OAuth's as it is declared, beside the code that answers: what it takes, answers and refuses. The
// endpoint goes by it, and the OpenAPI document tells it.

import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { ApiError } from "../errors.ts";
import type { Tag } from "../http/route.ts";
import type { Door } from "./door.ts";

export const SPEC_TAG: Tag = { name: "OAuth", description: "Access tokens, and the keys they verify by." };
export const RFC_TAG: Tag = {
  name: "OAuth 2.0",
  description: "The endpoints that OAuth client libraries use, strictly by the RFCs.",
};
export const SIGN_IN_TAG: Tag = {
  name: "Sign-in",
  description: "Users sign in and out by their browsers (OpenID Connect).",
};

/** What examples say of a client. */
export const CLIENT = { client_id: "7", client_secret: "<SECRET>" };

interface Told {
  path: string;
  summary: string;
  description?: string;
}

interface Answered {
  description: string;
  schema?: TSchema;
  example?: object;
}

/** What an endpoint refuses, by the error that it is refused with. */
export interface Refusal {
  when: string;
  error: ApiError;
  headers?: string[];
}

/** A client sends a form, says who it is, and gets JSON. */
export interface FormEndpoint<Form extends TObject = TObject> extends Told {
  kind: "form";
  door: Door;
  id: string;
  form: Form;
  examples: Record<string, { [Name in keyof Static<Form>]?: string }>;
  answer: Answered;
  /** 200 where nothing else is said. */
  status?: 201;
  /** Fields that may stand in the form more than once. */
  repeatable?: string[];
  /** Beside what every one of them refuses. */
  refused: Refusal[];
}

/** What stands in a form; a field without a value is absent (RFC 6749 3.2). */
export type Sent<Form extends TObject> = { [Name in keyof Static<Form>]: string };

/** A browser comes by a link or a form, and gets a page. */
export interface PageEndpoint extends Told {
  kind: "page";
  id: Record<"get" | "post", string>;
  takes: TObject;
  /** By status: what its page is, or where it leads. */
  answers: Record<number, string>;
}

/** Anybody may read it. */
export interface PublicEndpoint extends Told {
  kind: "public";
  tag: Tag;
  id: string;
  answer: Answered;
}

/** A client registers itself, or speaks of itself, in JSON. */
export interface RegistrationEndpoint extends Pick<Told, "path"> {
  kind: "registration";
  operations: Partial<Record<"get" | "post" | "put" | "delete", RegistrationOperation>>;
}

export interface RegistrationOperation {
  id: string;
  summary: string;
  description?: string;
  /** Of the path. */
  params: Record<string, string>;
  body?: { schema: TSchema; example: object };
  status: 200 | 201 | 204;
  answer: Answered;
  /** By status (RFC 7591 3.2.2). */
  refused: Record<number, { when: string; error: string; headers?: string[] }>;
}

/** Read by an access token. */
export interface TokenEndpoint extends Told {
  kind: "token";
  id: Record<"get" | "post", string>;
  answer: Answered;
  /** By status (RFC 6750 3.1). */
  refused: Record<number, { when: string; error: string; headers?: string[] }>;
}
