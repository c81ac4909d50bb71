import { expect, test } from "bun:test";
import { connect } from "node:net";
import { shared } from "../support/tenant.ts";

const HOSTS = ["a b", "", "[::1", "localhost:99999", "é"];

for (const host of HOSTS) {
  test(`a request whose Host is "${host}" gets an answer in the documented shape and harms nothing`, async () => {
    const url = new URL(shared().url);
    const answer = await raw(
      url,
      `GET /Endpoint/rest/api/v1/User/1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).not.toContain("<html");
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
    const alive = await raw(url, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(alive).toMatch(/^HTTP\/1\.1 [24]\d\d/);
    expect((await fetch(new URL("/healthz", url))).status).toBe(200);
  });
}

function raw(url: URL, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect({ host: url.hostname, port: Number(url.port) }, () => socket.end(request));
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}
