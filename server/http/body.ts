import { BadInput, BodyCutOff, PayloadTooLarge, UnsupportedContentCoding, UnsupportedMediaType } from "../errors.ts";
import { contextOf } from "./context.ts";
import { requestUrl } from "./request.ts";

/** Bytes. */
export const JSON_BODY_LIMIT = 1024 * 1024;
/** Parsing more values or deeper nesting would block the process for a quarter of a second. */
export const MAX_JSON_VALUES = 100_000;
export const MAX_JSON_DEPTH = 32;
/** Bytes. */
export const FORM_BODY_LIMIT = 64 * 1024;

/** @param limit bytes @throws UnsupportedMediaType, PayloadTooLarge, BadInput */
export async function readJson(request: Request, limit = JSON_BODY_LIMIT): Promise<unknown> {
  requireJson(request);
  const text = await readText(request, limit);
  requireModest(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new BadInput("The body is not valid JSON.");
  }
}

const [QUOTE, COMMA, COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('",:[\\]{}');

/**
 * Checks a text before JSON parsing; invalid JSON is left to the parser. A repeated member is rejected, because parsers
 * differ in which one they use (RFC 8259 4).
 */
function requireModest(text: string): void {
  let [values, depth, textAt] = [1, 0, -1];
  /** The members so far, for each enclosing object. */
  const members: Set<string>[] = [];
  let last = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (textAt >= 0) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) {
        last = text.slice(textAt, at + 1);
        textAt = -1;
      }
    } else if (code === QUOTE) textAt = at;
    else if (code === COLON) addMember(members.at(-1), last);
    else if (code === COMMA) values++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values++;
      depth++;
      if (code === OPEN_OBJECT) members.push(new Set());
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      depth--;
      if (code === CLOSE_OBJECT) members.pop();
    }
    if (depth > MAX_JSON_DEPTH) throw new BadInput(`The body's JSON is nested deeper than ${MAX_JSON_DEPTH} levels.`);
    if (values > MAX_JSON_VALUES) throw new BadInput(`The body's JSON has more than ${MAX_JSON_VALUES} values.`);
  }
}

function addMember(members: Set<string> | undefined, quoted: string): void {
  const name = quoted.includes("\\") ? unescaped(quoted) : quoted.slice(1, -1);
  if (members?.has(name)) throw new BadInput(`The member ${printable(name)} is repeated in the body's JSON.`);
  members?.add(name);
}

function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

/** Rejects repeated parameters (RFC 6749 3.2). @throws UnsupportedMediaType, PayloadTooLarge, BadInput */
export async function readForm(request: Request): Promise<Map<string, string>> {
  const form = formFields(await readFormText(request));
  forms.set(request, form);
  return form;
}

const forms = new WeakMap<Request, Map<string, string>>();

/** The request's form, after readForm was called. */
export function formRead(request: Request): Map<string, string> | undefined {
  return forms.get(request);
}

/** Parses a form body. @param repeatable names that may be repeated; the first value counts @throws BadInput */
export function formFields(text: string, repeatable: readonly string[] = []): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!fields.has(name)) fields.set(name, value);
    else if (!repeatable.includes(name)) {
      throw new BadInput(`The parameter ${printable(name)} is repeated in the form.`);
    }
  }
  return fields;
}

/** For callers that need repeated fields. @param limit bytes @throws UnsupportedMediaType, PayloadTooLarge, BadInput */
export async function readFormText(request: Request, limit = FORM_BODY_LIMIT): Promise<string> {
  requireMediaType(request, "application/x-www-form-urlencoded");
  const text = await readText(request, limit);
  if (!isPercentEncoded(text)) throw new BadInput("The form is not percent-encoded UTF-8.");
  return text;
}

/** Requires a percent-encoded query. @throws BadInput */
export function requireEncodedQuery(request: Request): void {
  if (!isPercentEncoded(requestUrl(request).search)) throw new BadInput("The query is not percent-encoded UTF-8.");
}

/** URLSearchParams would silently replace invalid sequences. */
function isPercentEncoded(text: string): boolean {
  if (!text.includes("%")) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The first check of readJson, for handlers with further checks before reading. @throws UnsupportedMediaType */
export function requireJson(request: Request): void {
  requireMediaType(request, "application/json");
}

export function isWithoutBody(request: Request): boolean {
  return request.headers.get("content-length") === "0" || request.body === null;
}

function requireMediaType({ headers }: Request, expected: string): void {
  const [given, ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  if (given?.trim() !== expected) throw new UnsupportedMediaType(expected);
  const [charset = "", ...more] = parameters.flatMap((one) => /^\s*charset\s*=\s*(.*?)\s*$/s.exec(one)?.[1] ?? []);
  if (more.length > 0) throw new BadInput("Content-Type names more than one charset.");
  if (!CHARSETS.includes(charset.replace(/^"(.*)"$/s, "$1")))
    throw new UnsupportedMediaType(`${expected}; charset=UTF-8`);
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity") throw new UnsupportedContentCoding();
}

/** An empty charset counts as absent. */
const CHARSETS = ["", "utf-8", "utf8", "us-ascii", "ascii"];

async function readText(request: Request, limit: number): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readBytes(request, limit));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new BadInput("The body is not valid UTF-8.");
  }
}

/** A body with Content-Length is read at once, which costs half as much as chunks. */
async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const length = request.headers.get("content-length");
  if (length !== null && /^\d+$/.test(length) && !request.headers.has("transfer-encoding")) {
    if (Number(length) > limit) throw new PayloadTooLarge(limit);
    return whole(request);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.byteLength;
    if (size > limit) throw new PayloadTooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function whole(request: Request): Promise<Uint8Array> {
  try {
    return await request.bytes();
  } catch {
    throw broken(request);
  }
}

async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of request.body ?? []) yield chunk;
  } catch {
    throw broken(request);
  }
}

/** Only the caller's connection can fail while a body is read. */
function broken(request: Request): BodyCutOff {
  contextOf(request).isCutOff = true;
  return new BodyCutOff();
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A caller's text, truncated and without control characters, for use in errors. */
export function printable(text: string): string {
  const clean = text.replace(/\p{C}/gu, "?");
  return clean.length > 60 ? `${clean.slice(0, 60)}…` : clean;
}
