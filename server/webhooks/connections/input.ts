import { BadInput } from "../../errors.ts";
import { printable } from "../../http/body.ts";
import { isUuid } from "../../http/paging.ts";
import { EVENT_TYPES } from "../events/event-types.ts";
import { secretProblem } from "../signature.ts";
import { ownApiKeys } from "./api-key.ts";
import { type HeadersInput, parseHeaders } from "./headers.ts";
import type { ConnectionState } from "./store.ts";

export const NAME_LIMIT = 200;
export const DESCRIPTION_LIMIT = 1_000;
export const URL_LIMIT = 2_000;
export const SECRET_LIMIT = 500;
export const API_KEY_LIMIT = 200;
/** Milliseconds that a connection may give its receiver. What runs beside it has to wait no longer than for others. */
export const LEAST_TIMEOUT_MS = 100;
export const MOST_TIMEOUT_MS = 30_000;

/** A body that fits; absent fields are left alone. */
export interface ConnectionInput {
  id?: string;
  name?: string | null;
  description?: string | null;
  url?: string;
  entities?: string[];
  events?: string[];
  /** null: the calls are no longer signed. */
  secret?: string | null;
  apiKey?: string;
  headers?: HeadersInput;
  /** Milliseconds; null: as WEBHOOK_TIMEOUT says. */
  timeoutMs?: number | null;
  /** Held is only taken back from a caller who has read it. */
  state?: ConnectionState;
  /** As they were given. */
  readOnly?: Partial<Record<(typeof READ_ONLY)[number], unknown>>;
}

/** What an answer has and nobody sets. */
export const READ_ONLY = ["HeldOn", "HeldReason"] as const;

type Take = (input: ConnectionInput, value: unknown) => string | undefined;

/**
 * @param entities names that can trigger a webhook
 * @param checkUrl why a receiver's address cannot be saved, in words
 * @throws BadInput naming every field that does not fit
 */
export function parseConnection(
  body: unknown,
  entities: string[],
  checkUrl: (url: string) => string | undefined,
): ConnectionInput {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new BadInput("The body must be one WebhookConnection object.");
  }
  const fields = takers(entities, checkUrl);
  const input: ConnectionInput = {};
  const problems = Object.entries(body).flatMap(([name, value]) => {
    const take = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return (take ? take(input, value) : `${printable(name)} is no field of WebhookConnection.`) ?? [];
  });
  if (problems.length > 0) throw new BadInput(...problems);
  return input;
}

function takers(entities: string[], checkUrl: (url: string) => string | undefined): Record<string, Take> {
  return {
    Id: (input, value) => {
      if (value === null || value === "") return undefined;
      if (typeof value !== "string" || !isUuid(value)) return "Id must be a connection's Id, or empty.";
      input.id = value;
      return undefined;
    },
    Name: (input, value) => {
      if (value === null || value === "") {
        input.name = null;
        return undefined;
      }
      if (!isText(value, NAME_LIMIT)) return `Name must be a string of at most ${NAME_LIMIT} characters, or null.`;
      input.name = value;
      return undefined;
    },
    Description: (input, value) => {
      if (value !== null && value !== "" && !isText(value, DESCRIPTION_LIMIT)) {
        return `Description must be a string of at most ${DESCRIPTION_LIMIT} characters, or null.`;
      }
      input.description = value || null;
      return undefined;
    },
    URL: (input, value) => {
      if (!isText(value, URL_LIMIT)) return `URL must be an https address of at most ${URL_LIMIT} characters.`;
      // Spaces come along when an address is pasted.
      const url = value.trim();
      const problem = checkUrl(url) ?? apiKeyProblem(url);
      if (problem) return `URL: ${problem}`;
      input.url = url;
      return undefined;
    },
    Entities: (input, value) => {
      input.entities = someOf(value, entities);
      return input.entities ? undefined : `Entities must be a list with at least one of ${entities.join(", ")}.`;
    },
    Events: (input, value) => {
      input.events = someOf(value, EVENT_TYPES);
      return input.events ? undefined : `Events must be a list with at least one of ${EVENT_TYPES.join(", ")}.`;
    },
    Secret: (input, value) => {
      if (value === null || value === "") {
        input.secret = null;
        return undefined;
      }
      if (!isSecret(value)) return secretFieldProblem(value);
      input.secret = value;
      return undefined;
    },
    ApiKey: (input, value) => {
      if (!isApiKey(value)) return `ApiKey must be ${API_KEY_SHAPE}.`;
      input.apiKey = value;
      return undefined;
    },
    Headers: (input, value) => {
      const parsed = parseHeaders(value);
      if (typeof parsed === "string") return parsed;
      input.headers = parsed.headers;
      return undefined;
    },
    TimeoutMs: (input, value) => {
      if (value !== null && !isTimeout(value)) {
        return `TimeoutMs must be a whole number of milliseconds from ${LEAST_TIMEOUT_MS} to ${MOST_TIMEOUT_MS}, or null.`;
      }
      input.timeoutMs = value;
      return undefined;
    },
    State: (input, value) => {
      if (value !== "Active" && value !== "Paused" && value !== "Held") return "State must be Active or Paused.";
      input.state = value;
      return undefined;
    },
    ...Object.fromEntries(
      READ_ONLY.map((name): [string, Take] => [
        name,
        (input, value) => {
          input.readOnly = { ...input.readOnly, [name]: value };
          return undefined;
        },
      ]),
    ),
  };
}

const API_KEY_SHAPE = `1 to ${API_KEY_LIMIT} visible ASCII characters`;

function isApiKey(value: unknown): value is string {
  return isText(value, API_KEY_LIMIT) && /^[\x21-\x7e]+$/.test(value);
}

export function isSecret(value: unknown): value is string {
  return isText(value, SECRET_LIMIT) && secretProblem(value) === undefined;
}

/** Of what is no Secret, why, as a sentence that does not repeat it. */
export function secretFieldProblem(value: unknown): string {
  if (!isText(value, SECRET_LIMIT)) return `Secret must be a string of at most ${SECRET_LIMIT} characters, or null.`;
  return `Secret ${secretProblem(value)}`;
}

/** What is wrong with the ApiKey that an address has itself, if it has one. */
function apiKeyProblem(url: string): string | undefined {
  const keys = ownApiKeys(url);
  if (keys.length > 1) return "It has several ApiKey parameters, and they differ.";
  return keys.every(isApiKey) ? undefined : `Its ApiKey must be ${API_KEY_SHAPE}.`;
}

function isTimeout(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= LEAST_TIMEOUT_MS && (value as number) <= MOST_TIMEOUT_MS;
}

function isText(value: unknown, limit: number): value is string {
  return (
    typeof value === "string" && value !== "" && value.length <= limit && !value.includes("\0") && value.isWellFormed()
  );
}

function someOf(value: unknown, known: readonly string[]): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every((item) => known.includes(item))) return undefined;
  return [...new Set(value as string[])];
}
