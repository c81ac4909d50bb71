// Each line is a case: the secret, the body, then names and values in turn, all in base64. Prints the answer that all
// forms of headers and body have, or every answer.

import { readFileSync } from "node:fs";
import { isFromGatehouse } from "./verify.mjs";

function formsOf(pairs) {
  const names = [...new Set(pairs.map(([name]) => name))];
  const valuesOf = (name) => pairs.filter(([key]) => key === name).map(([, value]) => value);
  const joined = names.map((name) => [name, valuesOf(name).join(", ")]);
  const lists = Object.fromEntries(names.map((name) => [name, valuesOf(name)]));
  const forms = [pairs, new Map(joined), Object.fromEntries(joined), lists, { ...lists, "x-none": undefined }];
  try {
    forms.push(new Headers(pairs));
  } catch {
    // HTTP cannot carry these values.
  }
  return forms;
}

function answer(...call) {
  try {
    return isFromGatehouse(...call);
  } catch (error) {
    return `raised ${error.message}`;
  }
}

for (const line of readFileSync(0, "utf8").trimEnd().split("\n")) {
  const [secret, body, ...rest] = line.split("\t").map((text) => Buffer.from(text, "base64"));
  const pairs = [];
  for (let at = 0; at < rest.length; at += 2) pairs.push([String(rest[at]), String(rest[at + 1])]);
  const bodies = [body, new Uint8Array(body), new Uint8Array(body).buffer];
  if (Buffer.from(String(body)).equals(body)) bodies.push(String(body));
  const answers = formsOf(pairs).flatMap((headers) => bodies.map((one) => answer(String(secret), headers, one)));
  console.log([...new Set(answers)].join());
}

const now = { "webhook-timestamp": String(Math.floor(Date.now() / 1000)) };
const odd = [undefined, null, 1, "text", [], [null], {}, { a: 1 }, { "webhook-timestamp": 1 }, Symbol("x")];
const answers = odd.flatMap((one) => [answer("s", one, ""), answer("s", now, one), answer(one, now, "")]);
if (answers.some((one) => one !== false)) throw new Error(answers.join());
