// Parameters of authorization requests, and our own addresses that carry them.

import { type TObject, Type } from "@sinclair/typebox";
import { BadInput } from "../../../platform/errors.ts";
import { readFormText } from "../../../platform/http/body.ts";
import { NO_STORE } from "../../../platform/http/conditions.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { type Site, texts } from "../../../ui/index.ts";
import { ACCOUNT_SIGN_IN_PATH } from "../../signin/account/visit.ts";
import { AUTHORIZATION_REQUEST, PROMPTS, REQUEST_OBJECT } from "../contract.ts";
import type { Sent } from "../declared.ts";
import { AUTHORIZATION_PATH, type Door, SPEC_AUTHORIZATION_PATH } from "../door.ts";

/**
 * The maximum number of characters, because the request must fit into an address. They are counted in the encoding of
 * our own addresses, so a request that is accepted once is accepted at every later step.
 */
export const REQUEST_LIMIT = 8 * 1024;

export interface RequestParameters<Declared extends TObject = typeof AUTHORIZATION_PARAMETERS> {
  /** The declared parameters, first value of each; one without a value is absent (RFC 6749 3.1). */
  sent: Partial<Sent<Declared>>;
  repeated: string[];
  names: string[];
  text: string;
  carry(all: URLSearchParams): string;
}

/** Our own parameter: the seal of the chosen account. It is not part of the request. */
export const CHOSEN_ACCOUNT = "chosen_account";

/** Includes recognized but unsupported parameters. */
export const AUTHORIZATION_PARAMETERS = Type.Composite([AUTHORIZATION_REQUEST, REQUEST_OBJECT]);

/** @throws BadInput */
export function parseParameters<Declared extends TObject>(
  declared: Declared,
  text: string,
  carry: (all: URLSearchParams) => string = String,
): RequestParameters<Declared> {
  const all = new URLSearchParams(text);
  all.delete(CHOSEN_ACCOUNT);
  const encoded = all.toString();
  if (encoded.length - lengthOfPrompts(all) > REQUEST_LIMIT) {
    throw new BadInput(
      `The request has more than ${REQUEST_LIMIT} characters in URL encoding, too many. The application must send less.`,
    );
  }
  const names = [...all.keys()];
  const sent = Object.keys(declared.properties).flatMap((name) => {
    const value = all.get(name);
    return value ? [[name, value]] : [];
  });
  return {
    sent: Object.fromEntries(sent),
    repeated: [...new Set(names.filter((name, index) => names.indexOf(name) !== index))],
    names,
    text: encoded,
    carry,
  };
}

const encodedPrompt = (prompt: string) => `&${new URLSearchParams({ prompt })}`;
const ALL_PROMPTS = encodedPrompt(PROMPTS.join(" "));

/** Prompts are not counted, because steps of the sign-in add and remove them. */
function lengthOfPrompts(all: URLSearchParams): number {
  const prompt = all.get("prompt");
  return prompt === null ? 0 : Math.min(encodedPrompt(prompt).length, ALL_PROMPTS.length);
}

/** Reads the query of a GET or the form of a POST. @throws BadInput, PayloadTooLarge, UnsupportedMediaType */
export async function readParameters<Declared extends TObject>(
  declared: Declared,
  request: Request,
): Promise<RequestParameters<Declared>> {
  const text = request.method === "POST" ? await readFormText(request) : requestUrl(request).search.slice(1);
  return parseParameters(declared, text);
}

/** The same request without the prompts that the user has completed. */
export function withoutPrompts(parameters: RequestParameters, done: string[]): string {
  const all = new URLSearchParams(parameters.text);
  const prompts = (all.get("prompt") ?? "").split(" ").filter((prompt) => prompt !== "" && !done.includes(prompt));
  if (prompts.length > 0) all.set("prompt", prompts.join(" "));
  else all.delete("prompt");
  // OIDC Core 15.1: max_age=0 is equivalent to prompt=login.
  if (done.includes("login") && all.get("max_age") === "0") all.delete("max_age");
  return parameters.carry(all);
}

export function choosingAnew(parameters: RequestParameters): string {
  const prompts = (new URLSearchParams(parameters.text).get("prompt") ?? "").split(" ").filter(Boolean);
  return withPrompt(parameters, [...new Set(["select_account", ...prompts])].join(" "));
}

export function withPrompt(parameters: RequestParameters, prompt: string): string {
  const all = new URLSearchParams(parameters.text);
  all.set("prompt", prompt);
  return parameters.carry(all);
}

export const AUTHORIZATION_PATHS: Readonly<Record<string, Door>> = {
  [SPEC_AUTHORIZATION_PATH]: "spec",
  [AUTHORIZATION_PATH]: "rfc",
};

/** The page for a device's user code (RFC 8628 3.3), and the address that continues from it. */
export const DEVICE_PATH = "/device";
export const DEVICE_CONTINUE_PATH = "/device/continue";
export const DEVICE_DONE_PATH = "/device/done";

/** Requests of our own pages. */
export const OWN_PATHS = [DEVICE_CONTINUE_PATH, ACCOUNT_SIGN_IN_PATH];

const DOORS = new Map<string, Door>([
  ...Object.entries(AUTHORIZATION_PATHS),
  ...OWN_PATHS.map((path) => [path, "rfc"] as const),
]);

export interface AuthorizationTarget {
  path: string;
  door: Door;
  parameters: RequestParameters;
}

function queryOf({ text, carry }: RequestParameters): string {
  return carry(new URLSearchParams(text));
}

/** @returns a path and query, never an address of a different host */
export function targetText({ path, parameters }: AuthorizationTarget): string {
  return `${path}?${queryOf(parameters)}`;
}

/** Our addresses that carry a request inside: in base64url, because a second URL encoding could triple its length. */
const carrying = (path: string, target: AuthorizationTarget) =>
  `${path}?request=${Buffer.from(targetText(target)).toString("base64url")}`;

export const upstreamPath = (providerId: number, target: AuthorizationTarget) =>
  carrying(`/signin/upstream/${providerId}`, target);

/** The form's own path, and with a request. */
export const forgottenPath = "/signin/forgotten";
export const forgottenPathOf = (target: AuthorizationTarget) => carrying(forgottenPath, target);

export const signUpPath = "/signin/sign-up";
export const signUpPathOf = (target: AuthorizationTarget) => carrying(signUpPath, target);

export const localPath = (target: AuthorizationTarget) => carrying("/signin/local", target);

/** The request inside such an address, which is untrusted. @throws BadInput */
export function readCarried(request: Request): AuthorizationTarget {
  const carried = requestUrl(request).searchParams.get("request") ?? "";
  return readTarget(Buffer.from(carried, "base64url").toString("utf8"));
}

/** @param text the form's untrusted field `request` @throws BadInput */
export function readTarget(text: string | undefined): AuthorizationTarget {
  const mark = text?.indexOf("?") ?? -1;
  const path = text?.slice(0, mark) ?? "";
  if (mark < 0 || !DOORS.has(path)) {
    throw new BadInput(texts.ERRORS.noApplication);
  }
  return {
    path,
    door: DOORS.get(path)!,
    parameters: parseParameters(AUTHORIZATION_PARAMETERS, text!.slice(mark + 1)),
  };
}

/** Continues the request as it was sent. */
export function continueRequest(site: Site, { path, parameters }: AuthorizationTarget, cookies?: string[]): Response {
  return goTo(site, path, queryOf(parameters), cookies);
}

/** With 303, so reloading does not repeat a POST (RFC 9700 4.12). */
export function goTo(site: Site, path: string, query: string, cookies: string[] = []): Response {
  const headers = new Headers({ location: site.href(`${path}?${query}`), ...NO_STORE });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
