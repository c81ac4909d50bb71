import { BadInput, BodyCutOff, PayloadTooLarge, UnsupportedContentCoding, UnsupportedMediaType } from "../errors.ts";
import { contextOf } from "./context.ts";
import { MAX_JSON_DEPTH } from "./json.ts";
import { isDecimal, isKept, roundedNumber } from "./numbers.ts";
import { requestUrl } from "./request.ts";

/** The maximum size of a JSON body in bytes. */
export const JSON_BODY_LIMIT = 1024 * 1024;
/** Parsing more values would block the process for a quarter of a second. */
export const MAX_JSON_VALUES = 100_000;
/** Names in an object, and values in a list. A body that is a list has its operation's own limit. */
export const MAX_JSON_MEMBERS = 2_000;
/** The maximum size of a form in bytes. */
export const FORM_BODY_LIMIT = 64 * 1024;
/** Fields of a form, and parameters of a query. */
export const MAX_FIELDS = 1_000;

/** @param limit bytes @throws UnsupportedMediaType, PayloadTooLarge, BadInput */
/** @param mediaType such as `application/scim+json` */
export async function readJson(
  request: Request,
  limit = JSON_BODY_LIMIT,
  mediaType = "application/json",
): Promise<unknown> {
  requireMediaType(request, mediaType);
  const text = await readText(request, limit);
  const { isRounded } = requireModest(text);
  try {
    if (isRounded) refuseRounded(text);
    return JSON.parse(text);
  } catch (error) {
    throw error instanceof BadInput ? error : new BadInput("The body is not valid JSON.");
  }
}

/** It would be stored, and answered, as a different number. */
function refuseRounded(text: string): void {
  const rounded = roundedNumber(text);
  if (!rounded) return;
  const [, record, place = ""] = /^(?:\[(\d+)\]\.?)?(.*)$/s.exec(rounded.path)!;
  const where = `${record ? `Record ${record}: ` : ""}${printable(place) || "The body"}`;
  const Message = `${where} is ${printable(rounded.written)}, which JSON readers round. Send fewer digits, or a text.`;
  throw BadInput.in([{ Field: record ? "" : /^[^.[]*/.exec(place)![0], Message }]);
}

/**
 * The number that a person typed into a form; another text stays as it is.
 * @throws BadInput if it would be rounded, or is not decimal, such as 0x1F
 */
export function typedNumber(field: string, label: string, text: string): number | string {
  const [read, written] = [Number(text), text.trim()];
  if (Number.isNaN(read)) return text;
  if (isKept(written, read)) return read;
  const problem = isDecimal(written)
    ? `would be rounded to ${read}. Write fewer digits.`
    : "is not a decimal number. Write it in decimal digits.";
  const Message = `${label} is ${printable(written)}, which ${problem}`;
  throw BadInput.in([{ Field: field, Message }]);
}

/** The maximum number of characters of a form's field with several values, such as one a line. */
export const VALUES_LIMIT = 64 * 1024;

/** The text of such a field, before it is divided. @throws BadInput */
export function limited(field: string, text: string): string {
  if (text.length <= VALUES_LIMIT) return text;
  const Message = `${field} has ${text.length} characters; the limit is ${VALUES_LIMIT}.`;
  throw BadInput.in([{ Field: field, Message }]);
}

const [QUOTE, COMMA, COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('",:[\\]{}');
const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39];

/** The characters of a number. */
const NUMBER = /[-+.\deE]+/y;

/**
 * Checks a text before JSON parsing; invalid JSON is left to the parser. A repeated member is rejected, because parsers
 * differ in which one they use (RFC 8259 4).
 */
function requireModest(text: string): { isRounded: boolean } {
  let [values, textAt, isRounded] = [1, -1, false];
  /** The enclosing objects and lists, with their members so far; a list has no names. */
  const open: { names?: Set<string>; members: number }[] = [];
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
    else if (code === COLON) addName(open.at(-1)?.names, last);
    else if (code === COMMA) {
      values++;
      const inner = open.at(-1);
      const isBody = open.length === 1 && !inner?.names;
      if (inner && ++inner.members > MAX_JSON_MEMBERS && !isBody) {
        throw new BadInput(`An object or a list in the body's JSON has more than ${MAX_JSON_MEMBERS} members.`);
      }
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values++;
      open.push({ members: 1, ...(code === OPEN_OBJECT && { names: new Set<string>() }) });
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) open.pop();
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      NUMBER.lastIndex = at;
      const [number] = NUMBER.exec(text)!;
      isRounded ||= !isKept(number);
      at += number.length - 1;
    }
    if (open.length > MAX_JSON_DEPTH)
      throw new BadInput(`The body's JSON is nested deeper than ${MAX_JSON_DEPTH} levels.`);
    if (values > MAX_JSON_VALUES) throw new BadInput(`The body's JSON has more than ${MAX_JSON_VALUES} values.`);
  }
  return { isRounded };
}

function addName(names: Set<string> | undefined, quoted: string): void {
  const name = quoted.includes("\\") ? unescaped(quoted) : quoted.slice(1, -1);
  if (names?.has(name)) throw new BadInput(`The member ${printable(name)} is repeated in the body's JSON.`);
  names?.add(name);
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
  const charset = requireMediaType(request, FORM_TYPE, [...CHARSETS, ...LATIN]);
  const text = await readText(request, limit);
  // Other characters would be encoded differently.
  if (LATIN.includes(charset) && hasOtherThanAscii(text)) throw new UnsupportedMediaType(`${FORM_TYPE}; charset=UTF-8`);
  if (hasTooManyFields(text)) throw new BadInput(`The form has more than ${MAX_FIELDS} fields.`);
  if (!isPercentEncoded(text)) throw new BadInput("The form is not percent-encoded UTF-8.");
  return text;
}

/** A form with files: each chosen one is a value of its field, as `data:`. @throws PayloadTooLarge, BadInput */
export async function readUpload(request: Request, limit: number): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  const bytes = await readBytes(request, limit);
  const form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { "content-type": type } })
    .formData()
    .catch(() => {
      throw new BadInput("The form's files cannot be read.");
    });
  const fields = new URLSearchParams();
  for (const [name, value] of form) {
    if (fields.size >= MAX_FIELDS) throw new BadInput(`The form has more than ${MAX_FIELDS} fields.`);
    if (typeof value === "string") fields.append(name, value);
    else if (value.size > 0)
      fields.append(name, `data:${value.type};base64,${Buffer.from(await value.arrayBuffer()).toString("base64")}`);
  }
  return fields;
}

export const isUpload = ({ headers }: Request) =>
  headers.get("content-type")?.startsWith("multipart/form-data;") === true;

const FORM_TYPE = "application/x-www-form-urlencoded";
const hasOtherThanAscii = (text: string) => /[^\0-\x7f]/.test(text);

/** Requires a percent-encoded query with at most MAX_FIELDS parameters. @throws BadInput */
export function requireSoundQuery(request: Request): void {
  const { search } = requestUrl(request);
  if (hasTooManyFields(search)) throw new BadInput(`The query has more than ${MAX_FIELDS} parameters.`);
  if (!isPercentEncoded(search)) throw new BadInput("The query is not percent-encoded UTF-8.");
}

function hasTooManyFields(text: string): boolean {
  let fields = 1;
  for (let at = text.indexOf("&"); at >= 0 && fields <= MAX_FIELDS; at = text.indexOf("&", at + 1)) fields++;
  return fields > MAX_FIELDS;
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

/** @returns the charset */
function requireMediaType({ headers }: Request, expected: string, charsets = CHARSETS): string {
  const [given, ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  if (given?.trim() !== expected) throw new UnsupportedMediaType(expected);
  const [charset = "", ...more] = parameters.flatMap(charsetOf);
  if (more.length > 0) throw new BadInput("Content-Type names more than one charset.");
  if (!charsets.includes(charset)) throw new UnsupportedMediaType(`${expected}; charset=UTF-8`);
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity") throw new UnsupportedContentCoding();
  return charset;
}

const quotedToo = (names: string[]) => names.flatMap((name) => [name, `"${name}"`]);
/** An empty charset counts as absent. */
const CHARSETS = quotedToo(["", "utf-8", "utf8", "us-ascii", "ascii"]);
/** Named by form encoders that write only ASCII, such as Apache HttpClient 4. */
const LATIN = quotedToo(["iso-8859-1", "latin1", "windows-1252"]);

/** The value of a parameter of Content-Type, if it is the charset. Anyone may send it, so its cost is linear. */
function charsetOf(parameter: string): string[] {
  const [name, ...value] = parameter.split("=");
  return name?.trim() === "charset" && value.length > 0 ? [value.join("=").trim()] : [];
}

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
  const start = text.slice(0, 60).replace(/\p{C}/gu, "?");
  return text.length > 60 ? `${start}…` : start;
}
