// DNS rebinding: a foreign page under a name that resolves to this machine cannot read Temporal.

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { temporalFiles } from "../../server/appliance/embedded/processes.ts";
import { sendRaw } from "../support/raw.ts";
import { setting } from "../world/tenant.ts";
import { foreignHosts } from "./foreign-hosts.ts";

/** The UI's first request. */
const NAMESPACES = "/api/v1/namespaces";

const get = (path: string, host: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

describe("the Temporal UI", () => {
  const ui = setting("GATEHOUSE_TEST_TEMPORAL_UI");
  const { port } = new URL(ui);

  test.each(["localhost", "127.0.0.1", "LocalHost"])("answers to its own name %s", async (name) => {
    expect(await sendRaw(ui, get(NAMESPACES, `${name}:${port}`))).toContain('"default"');
  });

  test.each(foreignHosts(port))("rejects %p", async (host) => {
    for (const path of ["/", NAMESPACES, "/_app/version.json"]) {
      const answer = await sendRaw(ui, get(path, host));
      expect(answer).toStartWith("HTTP/1.1 421");
      expect(answer).not.toContain('default"');
    }
  });

  test("accepts requests with body and cookies, and only those that its own pages can send", async () => {
    const page = await fetch(`${ui}${NAMESPACES}`);
    const token = /_csrf=([^;]+)/.exec(page.headers.get("set-cookie") ?? "")?.[1];
    expect(token).toBeString();
    const terminate = (headers: Record<string, string>) =>
      fetch(`${ui}${NAMESPACES}/default/workflows/none-such/terminate`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ namespace: "default", workflowExecution: { workflowId: "none-such" } }),
      });
    expect((await terminate({})).status).toBeOneOf([400, 403]);
    const answer = await terminate({ "x-csrf-token": token!, cookie: `_csrf=${token}` });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("none-such");
  });
});

test.skipIf(process.platform !== "linux")("no reachable port of the Temporal server answers a page", async () => {
  const pid = Number(readFileSync(temporalFiles(setting("GATEHOUSE_TEST_DATA_DIR")).pidFile, "utf8"));
  const places = listensAt(pid);
  const found = places.filter(({ host }) => ["127.0.0.1", "0.0.0.0", "::", "::1"].includes(host));
  expect(found.length).toBeGreaterThan(0);
  // The dev server's UI has an unpredictable address.
  expect(places.length - found.length).toBe(1);
  for (const { port } of found) {
    for (const host of ["evil.example", `evil.example:${port}`, `127.0.0.1:${port}`, `localhost:${port}`]) {
      const at = `http://127.0.0.1:${port}`;
      const answers = await Promise.all([NAMESPACES, "/", "/namespaces"].map((path) => sendRaw(at, get(path, host))));
      for (const answer of answers) expect(answer).not.toMatch(/"name": ?"default"|<html/);
    }
  }
});

/** A process's listeners, from Linux's tables: sl, local_address, rem_address, st, …; the tenth is the inode. */
function listensAt(pid: number): { host: string; port: number }[] {
  const sockets = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return [];
    }
  });
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === "0A" && sockets.includes(`socket:[${columns[9]}]`))
      .map((columns) => {
        const [address, port] = columns[1]!.split(":") as [string, string];
        return { host: hostOf(address), port: Number.parseInt(port, 16) };
      }),
  );
}

/** Four bytes, the last one first. All of IPv6 counts as reachable. */
function hostOf(hex: string): string {
  if (hex.length !== 8) return "::";
  return [6, 4, 2, 0].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(".");
}
