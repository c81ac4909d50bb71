// Explains the failure words of deliveries, and who can fix each failure (docs/for-receivers.md).

import { attribute, Text } from "../ui/index.ts";

const WORDS = new Map<string, string>(
  Object.entries({
    "blocked-address":
      "The address is not public, or this installation never posts to it, so nothing was sent. Change the URL, or let " +
      "the operator allow the address by EGRESS_ALLOW.",
    dns: "The receiver's name has no address. Check the URL's spelling and the name's DNS records.",
    refused: "Nothing listens at that address and port.",
    tls: "The receiver's certificate is not valid for its name, has expired, or lacks an intermediate certificate.",
    unreachable: "There is no way to the address: a route, a firewall or a proxy is in between.",
    timeout: "There was no complete answer in time. Raise TimeoutMs, or let the receiver answer before it works.",
    reset: "The receiver closed the connection before its answer was complete.",
    "too-large": "The head of the answer is larger than will be read.",
    protocol: "The response is not HTTP.",
    lost: "The worker ended while the post was out. The receiver may have got it.",
  }),
);

const WORD = /([a-z-]{3,})/;

/** For lists, where space is limited: each word has its explanation as a tooltip. */
export function Words({ text }: { text: string }): JSX.Element {
  return (
    <span>
      {text.split(WORD).map((part) => {
        const words = WORDS.get(part);
        return words === undefined ? <Text text={part} /> : <abbr title={attribute(words)}>{part as "safe"}</abbr>;
      })}
    </span>
  );
}

export function Explained({ text }: { text: string | null }): JSX.Element {
  const known = text?.split(WORD).find((part) => WORDS.has(part));
  return known === undefined ? "" : <p class="hint">{WORDS.get(known) as "safe"}</p>;
}
