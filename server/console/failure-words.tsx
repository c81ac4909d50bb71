// Explains the failure words of deliveries, and who can fix each failure (docs/for-receivers.md).

import { attribute, Text } from "../ui/index.ts";

const WORDS = new Map<string, string>(
  Object.entries({
    "blocked-address":
      "The address is not public, or is blocked by this installation, so nothing was sent. Change the URL, or ask " +
      "the operator to allow the address with EGRESS_ALLOW.",
    dns: "The receiver's name has no address. Check the URL's spelling and the name's DNS records.",
    refused: "Nothing listens at that address and port.",
    tls:
      "No secure connection was possible, so nothing was processed. Each attempt names the cause, such as an expired " +
      "certificate, an old TLS version or a port of plain HTTP, and the solution.",
    unreachable: "The address is unreachable. Check routes, firewalls and proxies.",
    timeout: "There was no complete response in time. Raise TimeoutMs, or let the receiver respond before processing.",
    reset: "The receiver closed the connection during the TLS handshake, or before its response was complete.",
    "too-large": "The head of the response is too large.",
    protocol: "The response is not HTTP/1.1. The receiver may accept only HTTP/2, or be a different service.",
    cancelled: "The post was cancelled while it was sent. The receiver may have got it.",
    lost: "The worker stopped during the post. The receiver may have got it.",
    "401":
      "The receiver rejected the call: it may have checked the signature with another secret, or expect another ApiKey or header.",
    "403":
      "The receiver rejected the call: it may have checked the signature with another secret, or a login or a firewall protects the path.",
    "404": "Nothing is at this path of the receiver. Correct the URL.",
    "410": "The receiver wants no more calls.",
    "413": "The payload is larger than the receiver accepts. Raise the limit of its proxy or framework.",
    "429": "The receiver is overloaded. Set RatePerSecond or MaxInFlight, or let it send Retry-After.",
    "5xx": "The receiver failed. Its log has the reason; webhooks are found by their webhook-id, the EventId.",
  }),
);

/** Words, and statuses that are no counts. */
const WORD = /([a-z-]{3,}|(?<![\d,])[45]\d\d\b(?! exhausted))/;

const meaningOf = (part: string) => WORDS.get(part) ?? (/^5\d\d$/.test(part) ? WORDS.get("5xx") : undefined);

/** For lists, where space is limited: each word has its explanation as a tooltip. */
export function Words({ text }: { text: string }): JSX.Element {
  return (
    <span>
      {text.split(WORD).map((part) => {
        const words = meaningOf(part);
        return words === undefined ? <Text text={part} /> : <abbr title={attribute(words)}>{part as "safe"}</abbr>;
      })}
    </span>
  );
}

export function Explained({ text }: { text: string | null }): JSX.Element {
  const [known] = (text ?? "").split(WORD).flatMap((part) => meaningOf(part) ?? []);
  return known === undefined ? "" : <p class="hint">{known as "safe"}</p>;
}
