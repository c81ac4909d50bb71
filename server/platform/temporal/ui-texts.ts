// Texts of workflows in the Temporal UI.

/** Temporal rejects a summary of more than 400 bytes. */
const SUMMARY_BYTES = 390;

/** Markdown for the Temporal UI. */
export function detailsLink(what: string, publicUrl: string, path: string): string {
  return `[${what} in Settings](${publicUrl}/settings/${path})`;
}

/** Truncates a summary to Temporal's limit. */
export function inBytes(text: string): string {
  let short = text;
  while (Buffer.byteLength(short) > SUMMARY_BYTES) short = [...short].slice(0, -8).join("");
  return short === text ? text : `${short}…`;
}
