// A real name server on loopback that answers by a function, or not at all.

import { createSocket } from "node:dgram";

/** An address for each query, "nowhere" (NXDOMAIN), "fails" (SERVFAIL), or no answer. */
export type DnsReply = { address: string; ttl?: number } | "nowhere" | "fails" | "hang";

export interface NameServer {
  /** In the format of EGRESS_DNS. */
  address: string;
  /** The queried names, one entry for each query of an IPv4 address. */
  asked: string[];
  [Symbol.dispose](): void;
}

const HEADER = 12;
const A = 1;
const CODES = { nowhere: 3, fails: 2 } as const;

/** @example using names = await startNameServer((name) => (name.startsWith("hang") ? "hang" : { address: "127.0.0.1" })); */
export async function startNameServer(reply: (name: string) => DnsReply, port = 0): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, type, end } = questionOf(query);
    if (type === A) asked.push(name);
    const answer = reply(name);
    if (answer !== "hang") socket.send(answerTo(query.subarray(0, end), type, answer), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(port, "127.0.0.1", resolve));
  return { address: `127.0.0.1:${socket.address().port}`, asked, [Symbol.dispose]: () => void socket.close() };
}

/** RFC 1035 4.1.2 */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** RFC 1035 4.1.1 and 4.1.3; it has no IPv6 addresses. */
function answerTo(question: Buffer, type: number, reply: Exclude<DnsReply, "hang">): Buffer {
  const found = typeof reply === "object" && type === A;
  const answer = Buffer.from(question);
  answer.writeUInt16BE(0x8180 | (typeof reply === "object" ? 0 : CODES[reply]), 2);
  answer.writeUInt16BE(found ? 1 : 0, 6);
  answer.fill(0, 8, HEADER);
  if (!found) return answer;
  const record = Buffer.from([0xc0, HEADER, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...reply.address.split(".").map(Number)]);
  record.writeUInt32BE(reply.ttl ?? 0, 6);
  return Buffer.concat([answer, record]);
}
