// The parameters of an authorization request, and the address of ours that carries them on.

import { type TObject, Type } from "@sinclair/typebox";
import { BadInput } from "../../errors.ts";
import { readFormText } from "../../http/body.ts";
import { NO_STORE } from "../../http/conditions.ts";
import { requestUrl } from "../../http/request.ts";
import type { Site } from "../../ui/index.ts";
import { AUTHORIZATION_REQUEST, REQUEST_OBJECT } from "../contract.ts";
import type { Sent } from "../declared.ts";
import { AUTHORIZATION_PATH, type Door, SPEC_AUTHORIZATION_PATH } from "../door.ts";

/** Characters of an authorization request: it has to fit into the address of a browser. */
const REQUEST_LIMIT = 8 * 1024;

/** Of one request, as its query or form had them. */
export interface Parameters<Declared extends TObject = typeof AUTHORIZATION_PARAMETERS> {
  /** Of those that its endpoint declares, the first of each name; one without a value is absent (RFC 6749 3.1). */
  sent: Partial<Sent<Declared>>;
  /** Names that stand more than once. */
  repeated: string[];
  names: string[];
  /** All of them in the form encoding. */
  text: string;
  /** How an address of our own carries them on. */
  carry(all: URLSearchParams): string;
}

/** In an address of ours: the seal of the account that the user has chosen. No part of the request. */
export const CHOSEN_ACCOUNT = "chosen_account";

/** Also those that are known, and refused. */
export const AUTHORIZATION_PARAMETERS = Type.Composite([AUTHORIZATION_REQUEST, REQUEST_OBJECT]);

/** @throws BadInput */
export function parseParameters<Declared extends TObject>(
  declared: Declared,
  text: string,
  carry: (all: URLSearchParams) => string = String,
): Parameters<Declared> {
  if (text.length > REQUEST_LIMIT) {
    throw new BadInput(`The request has more than ${REQUEST_LIMIT} characters. The application has to send less.`);
  }
  const all = new URLSearchParams(text);
  all.delete(CHOSEN_ACCOUNT);
  const names = [...all.keys()];
  const sent = Object.keys(declared.properties).flatMap((name) => {
    const value = all.get(name);
    return value ? [[name, value]] : [];
  });
  return {
    sent: Object.fromEntries(sent),
    repeated: [...new Set(names.filter((name, index) => names.indexOf(name) !== index))],
    names,
    text: all.toString(),
    carry,
  };
}

/** As the query of a GET has them, or the form of a POST. @throws BadInput, PayloadTooLarge, UnsupportedMediaType */
export async function readParameters<Declared extends TObject>(
  declared: Declared,
  request: Request,
): Promise<Parameters<Declared>> {
  const text = request.method === "POST" ? await readFormText(request) : requestUrl(request).search.slice(1);
  return parseParameters(declared, text);
}

/** The same request without what the user has just done. */
export function withoutPrompts(parameters: Parameters, done: string[]): string {
  const all = new URLSearchParams(parameters.text);
  const prompts = (all.get("prompt") ?? "").split(" ").filter((prompt) => prompt !== "" && !done.includes(prompt));
  if (prompts.length > 0) all.set("prompt", prompts.join(" "));
  else all.delete("prompt");
  // OIDC Core 15.1: max_age=0 asks for the same as prompt=login.
  if (done.includes("login") && all.get("max_age") === "0") all.delete("max_age");
  return parameters.carry(all);
}

/** The same request, with the choice of account before anything else. */
export function choosingAnew(parameters: Parameters): string {
  const prompts = new URLSearchParams(parameters.text).get("prompt");
  return withPrompt(parameters, prompts ? `select_account ${prompts}` : "select_account");
}

export function withPrompt(parameters: Parameters, prompt: string): string {
  const all = new URLSearchParams(parameters.text);
  all.set("prompt", prompt);
  return parameters.carry(all);
}

// An authorization request in an address of our own, by which a form or a redirect goes on with it.

export const AUTHORIZATION_PATHS: Readonly<Record<string, Door>> = {
  [SPEC_AUTHORIZATION_PATH]: "spec",
  [AUTHORIZATION_PATH]: "rfc",
};

/** Where a person types the code that a device shows (RFC 8628 3.3), and where it goes on from there. */
export const DEVICE_PATH = "/device";
export const DEVICE_CONTINUE_PATH = "/device/continue";
export const DEVICE_DONE_PATH = "/device/done";

const DOORS = new Map<string, Door>([...Object.entries(AUTHORIZATION_PATHS), [DEVICE_CONTINUE_PATH, "rfc"]]);

export interface Target {
  path: string;
  door: Door;
  parameters: Parameters;
}

/** The query by which an address of our own goes on with the request as it is. */
export function queryOf({ text, carry }: Parameters): string {
  return carry(new URLSearchParams(text));
}

/** @returns a path and query, never an address of another host */
export function targetText({ path, parameters }: Target): string {
  return `${path}?${queryOf(parameters)}`;
}

/** Where the sign-in at a provider begins. */
export function upstreamPath(providerId: number, target: Target): string {
  return `/signin/upstream/${providerId}?${new URLSearchParams({ request: targetText(target) })}`;
}

/**
 * @param text a form's field `request`, which anybody can write
 * @throws BadInput
 */
export function readTarget(text: string | undefined): Target {
  const mark = text?.indexOf("?") ?? -1;
  const path = text?.slice(0, mark) ?? "";
  if (mark < 0 || !DOORS.has(path)) {
    throw new BadInput(
      "This form does not say which application it is for. Go back to the application and start again.",
    );
  }
  return {
    path,
    door: DOORS.get(path)!,
    parameters: parseParameters(AUTHORIZATION_PARAMETERS, text!.slice(mark + 1)),
  };
}

/** Goes on with a request: 303, so that no form is sent twice (RFC 9700 4.12). */
export function goTo(site: Site, path: string, query: string, cookies: string[] = []): Response {
  const headers = new Headers({ location: site.href(`${path}?${query}`), ...NO_STORE });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
