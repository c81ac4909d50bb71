// The changes of patches/postgres; that of rows after an error is in test/crash/connection.test.ts. The servers here break
// off a login at the moment that matters.

import { expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import postgres from "postgres";
import { connect } from "../../../server/platform/db/sql.ts";
import { ping } from "../../world/postgresql.ts";

/** Messages of PostgreSQL's protocol 3.0. */
const ASK_FOR_PASSWORD = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]);
const LOGGED_IN = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0]);
const READY = Buffer.from([90, 0, 0, 0, 5, 73]);

test("a connection that is closed during the login fails its statement, and is not tried again", async () => {
  await using server = await startServer((client) => client.end());
  const sql = connect(server.url, "gatehouse test", 1);
  expect(await failureOf(ping(sql))).toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(server.connections()).toBe(1);
  await sql.end();
});

test("an answer to a login whose connection is closed by then ends no process", async () => {
  await using server = await startServer((client) => client.end(ASK_FOR_PASSWORD));
  const closed = Promise.withResolvers<string>();
  const sql = postgres(server.url, { password: () => closed.promise, onclose: () => closed.resolve("late") });
  expect(await failureOf(sql`select`)).toMatchObject({ code: "CONNECTION_CLOSED" });
  await closed.promise;
  await untilWritten();
  await sql.end();
});

test("a connection that is lost while it reads types fails its statement, and ends no process", async () => {
  await using server = await startServer((client, messages) => {
    if (messages === 1) client.write(Buffer.concat([LOGGED_IN, READY]));
    else client.destroy();
  });
  const sql = connect(server.url, "gatehouse test", 1);
  expect(await failureOf(ping(sql))).toMatchObject({ code: "CONNECTION_CLOSED" });
  await sql.end();
});

/** @param answer called with each message of a client, and how many it has sent */
async function startServer(answer: (client: Socket, messages: number) => void) {
  let connections = 0;
  const server = createServer((client) => {
    connections++;
    let messages = 0;
    client.on("error", () => {}).on("data", () => answer(client, ++messages));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `postgres://user:password@127.0.0.1:${(server.address() as { port: number }).port}/test?sslmode=disable`,
    connections: () => connections,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const failureOf = (statement: PromiseLike<unknown>) =>
  Promise.resolve(statement).then(
    () => undefined,
    (error) => error,
  );

/** The driver writes in the next turns of the event loop. */
async function untilWritten(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
