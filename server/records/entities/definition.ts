import { readUrl } from "../../platform/address.ts";
import type { TextShape } from "../../platform/http/fields.ts";

export const DESCRIPTION_LIMIT = 10_000;
/** A web address: only http or https, because browsers execute some other schemes. */
export const WEB_ADDRESS_SHAPE: TextShape = {
  pattern: /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\0]+$/,
  fits: (text) => readUrl(text) !== undefined,
  must: "must be an address that begins with https:// or http://, or null.",
};
