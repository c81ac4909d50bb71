// A request as it stands on the wire, for what no client would send.

import { connect } from "node:net";

/** Milliseconds. */
const PATIENCE = 20_000;

/** What came back, as it stands on the wire, once the server has closed the connection. */
export function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request));
    socket.setTimeout(PATIENCE, () => socket.destroy());
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
    // Who speaks another protocol may hang up on us.
    socket.on("error", () => resolve(text));
  });
}
