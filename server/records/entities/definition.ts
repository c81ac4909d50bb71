import type { TextShape } from "../../platform/http/fields.ts";

export const DESCRIPTION_LIMIT = 10_000;
/** A web address: only http or https, because browsers execute some other schemes. */
export const WEB_ADDRESS_SHAPE: TextShape = {
  pattern: /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\0]+$/,
  fits: (text) => URL.canParse(text),
  must: "must be an address that begins with https:// or http://, or null.",
};
