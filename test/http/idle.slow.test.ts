// The lifetime of an idle connection: a request that arrives as it closes is lost, and may not be repeatable.

import { expect, test } from "bun:test";
import { connect } from "node:net";
import { startPrivateApp } from "../support/private-app.ts";
import { until } from "../world/api.ts";

/** Elysia closes it after 30 s. */
const IDLE_MS = 35_000;

test("an unused connection is closed by the proxy, not by the service", async () => {
  await using app = startPrivateApp();
  const { hostname, port } = new URL(app.url);
  let [answers, isClosed] = [0, false];
  const socket = connect(Number(port), hostname)
    .on("data", (data) => {
      answers += String(data).split("HTTP/1.1 200").length - 1;
    })
    .on("close", () => {
      isClosed = true;
    });
  const ask = () => socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ask();
  await until("the first answer", () => answers === 1);
  await Bun.sleep(IDLE_MS);
  ask();
  await until("the second answer, or the end", () => answers === 2 || isClosed);
  expect([answers, isClosed]).toEqual([2, false]);
  socket.destroy();
});
