// The addresses that mails can be sent to.

import { expect, test } from "bun:test";
import { isMailAddress, MAX_MAIL_ADDRESS } from "../../server/platform/mail-address.ts";

test.each([
  "ana@example.com",
  "ana+tag@a-b.example",
  "ana.silva@mail.test",
  "jos\u00e9@\u0435\u0445\u0430\u043cple.test",
  "o'neill@xn--strae-oqa.test",
])("an address is accepted: %s", (address) => {
  expect(isMailAddress(address)).toBe(true);
});

test.each([
  ["nothing", ""],
  ["a name", "Ana <ana@example.com>"],
  ["two addresses", "ana@example.com,bo@example.com"],
  ["a further header", "ana@example.com\r\nBcc: bo@example.com"],
  ["text that is reversed", "ana\u202emoc.elpmaxe@evil.test"],
  ["a character without width", "ana\u200b@example.com"],
  ["a lone surrogate", "ana\ud800@example.com"],
  ["another form of a domain's letters", "ana@\uff45xample.com"],
  ["a letter that becomes another in a domain", "ana@acme\u017f.test"],
  ["two dots", "ana@example..com"],
  ["too many characters", `${"a".repeat(60)}@${"b".repeat(MAX_MAIL_ADDRESS - 60)}`],
])("%s is no address", (_, address) => {
  expect(isMailAddress(address)).toBe(false);
});
