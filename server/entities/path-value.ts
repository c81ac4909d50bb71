import { BadInput } from "../errors.ts";

const BASE64_PREFIX = "base64|";

/**
 * The text that the path's last part stands for: special characters are forbidden, and any string can be sent as
 * `base64|…` (docs/behaviour.md "Read a record").
 * @param pathValue still percent-encoded
 * @throws BadInput
 */
export function pathText(pathValue: string): string {
  const raw = pathValue.replace(/^base64%7c/i, BASE64_PREFIX);
  if (raw.startsWith(BASE64_PREFIX)) return decodeBase64(raw.slice(BASE64_PREFIX.length));
  if (raw === "") throw new BadInput("The path ends in a slash, with no Id after it. The list has no slash.");
  if (raw.includes("/")) {
    throw new BadInput("The value in the path has a slash. Leave it out, or send a text that has one as base64|….");
  }
  if (!/^[A-Za-z0-9._~-]+$/.test(raw)) {
    throw new BadInput("The value in the path has special characters. Send it as base64| and the base64 of its text.");
  }
  return raw;
}

function decodeBase64(encoded: string): string {
  const standard = encoded
    .replace(/%2b/gi, "+")
    .replace(/%2f/gi, "/")
    .replace(/%3d/gi, "=")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const bare = standard.replace(/={1,2}$/, "");
  const bytes = Buffer.from(bare, "base64");
  if (bare === "" || bytes.toString("base64").replace(/=+$/, "") !== bare) {
    throw new BadInput("The text after base64| is not valid base64.");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new BadInput("The text after base64| is not the base64 of UTF-8 text.");
  }
}
