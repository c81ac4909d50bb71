import type { ConnectionRecord } from "../webhooks/index.ts";

/** What a connection is called: its name, or else where it leads, without what a URL may hide in its query. */
export function titleOf({ Name, URL: address }: Pick<ConnectionRecord, "Name" | "URL">): string {
  return Name || addressOf(address);
}

/** The URL without its query: an ApiKey may stand there. */
export function addressOf(address: string): string {
  return address.replace(/[?#].*$/s, "");
}
