// PostgreSQL may end a session between its login and its first statement.

import { expect, test } from "bun:test";
import { connect } from "../../server/platform/db/sql.ts";
import { ping } from "../world/postgresql.ts";
import { shared } from "../world/tenant.ts";

const ROUNDS = 20;

test("a session that ends before its first statement keeps no statement waiting", async () => {
  const { databaseUrl } = shared();
  const admin = connect(databaseUrl, "test", 1);
  const role = `hasty_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  await admin.unsafe(`create role ${role} login password 'hasty'`);
  await admin.unsafe(`alter role ${role} set idle_session_timeout = '1ms'`);
  const address = Object.assign(new URL(databaseUrl), { username: role, password: "hasty" }).href;
  let settled = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const pool = connect(address, "test", 2);
    const outcomes = await Promise.allSettled([
      ping(pool),
      pool.begin((tx) => ping(tx)),
      pool.reserve().then((session) => session.release()),
    ]);
    settled += outcomes.length;
    await pool.end({ timeout: 1 });
  }
  expect(settled).toBe(ROUNDS * 3);
  await admin.unsafe(`drop role ${role}`);
  await admin.end();
});
