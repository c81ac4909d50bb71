import { BadInput } from "../../errors.ts";

/** Characters of an authorization request: it has to fit into the address of a browser. */
const REQUEST_LIMIT = 8 * 1024;

/** Of one request, as its query or form had them. */
export interface Parameters {
  /** The first of that name; a parameter without a value counts as absent (RFC 6749 3.1). */
  get(name: string): string | undefined;
  /** Names that stand more than once. */
  repeated: string[];
  names: string[];
  /** All of them in the form encoding. */
  text: string;
}

/** @throws BadInput */
export function parseParameters(text: string): Parameters {
  if (text.length > REQUEST_LIMIT) {
    throw new BadInput(`The request has more than ${REQUEST_LIMIT} characters. The application has to send less.`);
  }
  const all = new URLSearchParams(text);
  const names = [...all.keys()];
  return {
    get: (name) => all.get(name) || undefined,
    repeated: [...new Set(names.filter((name, index) => names.indexOf(name) !== index))],
    names,
    text: all.toString(),
  };
}

/** The same request without what the user has just done. */
export function withoutPrompts(parameters: Parameters, done: string[]): string {
  const all = new URLSearchParams(parameters.text);
  const prompts = (all.get("prompt") ?? "").split(" ").filter((prompt) => prompt !== "" && !done.includes(prompt));
  if (prompts.length > 0) all.set("prompt", prompts.join(" "));
  else all.delete("prompt");
  // OIDC Core 15.1: max_age=0 asks for the same as prompt=login.
  if (done.includes("login") && all.get("max_age") === "0") all.delete("max_age");
  return all.toString();
}

export function withPrompt(parameters: Parameters, prompt: string): string {
  const all = new URLSearchParams(parameters.text);
  all.set("prompt", prompt);
  return all.toString();
}
