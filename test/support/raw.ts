// Raw requests that HTTP clients do not send.

import { connect } from "node:net";

/** In milliseconds. */
const PATIENCE = 20_000;

/** Returns the raw response after the server has closed the connection. */
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
    // The server may disconnect clients of other protocols.
    socket.on("error", () => resolve(text));
  });
}
