// Values of DATABASE_URL, and verification of its TLS connection, with a real PostgreSQL.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync, chmodSync, chownSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { connect as connectTcp, createServer } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { generate } from "selfsigned";
import { Part } from "../../server/appliance/embedded/part.ts";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { preparePostgresql } from "../../server/appliance/embedded/postgresql.ts";
import { type ConfigError, readConfig } from "../../server/platform/config/config.ts";
import { connect } from "../../server/platform/db/sql.ts";
import { newDataDirectory, temporaryDirectory } from "../support/directories.ts";
import { ping, sessionOf } from "../world/postgresql.ts";
import { rowsOf } from "../world/rows.ts";

const directory = temporaryDirectory("tls");
const file = (name: string) => join(directory, name);
let postgresql: Part;
let plain: URL;

beforeAll(async () => {
  const [own, other] = await Promise.all([certificate("localhost"), certificate("localhost")]);
  writeFileSync(file("own.pem"), own.cert);
  writeFileSync(file("own.key"), own.private);
  writeFileSync(file("other.pem"), other.cert);
  writeFileSync(file("no.pem"), "this is no certificate\n");
  const dataDir = newDataDirectory("tls-postgresql");
  const prepared = await preparePostgresql({ dataDir, say: () => {}, signal: new AbortController().signal });
  const cluster = realpathSync(join(dataDir, "postgres"));
  const { uid, gid } = statSync(cluster);
  for (const [name, text] of [
    ["server.crt", own.cert],
    ["server.key", own.private],
  ] as const) {
    writeFileSync(join(cluster, name), text);
    chmodSync(join(cluster, name), 0o600);
    chownSync(join(cluster, name), uid, gid);
  }
  appendFileSync(join(cluster, "postgresql.auto.conf"), "ssl = on\n");
  const port = await nextFreePort(0, "127.0.0.1", new Set());
  postgresql = new Part(prepared.part(port), () => {});
  await postgresql.start();
  plain = new URL(prepared.url(port));
  // The embedded PostgreSQL has no socket of its own.
  createServer((near) => pipeline(near, connectTcp(port, "127.0.0.1"), near, () => {}))
    .listen(join(directory, `.s.PGSQL.${port}`))
    .unref();
});
afterAll(() => postgresql?.stop());

const certificate = (name: string) =>
  generate([{ name: "commonName", value: name }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: name }] }],
  });

test.each([
  ["localhost", "", true],
  ["localhost", "sslmode=disable", false],
  ["localhost", "sslmode=prefer", true],
  ["127.0.0.1", "sslmode=require", true],
  ["localhost", "sslrootcert=own.pem", true],
  ["localhost", "sslmode=verify-full&sslrootcert=own.pem", true],
  ["127.0.0.1", "sslmode=verify-ca&sslrootcert=own.pem", true],
  ["127.0.0.1", "sslmode=require&sslrootcert=own.pem", true],
  ["localhost", "ssl=true", true],
  ["localhost", "sslmode=require&channel_binding=require&sslrootcert=own.pem", true],
  ["localhost", "sslmode=require&sslcert=own.pem&sslkey=own.key", true],
  ["localhost", "host=SOCKETS", false],
  ["localhost", "channel_binding=prefer&connect_timeout=10&target_session_attrs=read-write&gssencmode=disable", true],
])("at %s, %s is accepted", async (host, query, encrypted) => {
  const sql = connect(at(host, query), "gatehouse test", 1);
  expect(await rowsOf("pg_stat_ssl", { pid: await sessionOf(sql) }, sql)).toMatchObject([{ ssl: encrypted }]);
  await sql.end();
});

test.each([
  ["127.0.0.1", "sslmode=verify-full&sslrootcert=own.pem"],
  ["localhost", "sslmode=verify-full&sslrootcert=other.pem"],
  ["localhost", "sslmode=verify-ca&sslrootcert=other.pem"],
  ["localhost", "sslmode=require&sslrootcert=other.pem"],
  ["localhost", "sslmode=verify-full"],
  ["localhost", "sslmode=verify-full&sslrootcert=system"],
  ["127.0.0.1", "sslmode=require&channel_binding=require&sslrootcert=own.pem"],
  ["localhost", "sslmode=require&channel_binding=require"],
  ["127.0.0.1", "sslmode=verify-ca&channel_binding=require&sslrootcert=own.pem"],
])("at %s, by %s, the server certificate is rejected", async (host, query) => {
  const sql = connect(at(host, query), "gatehouse test", 1);
  expect(await ping(sql).then(String, (error: Error) => error)).toBeInstanceOf(Error);
  await sql.end({ timeout: 1 });
});

const PERCENT = "an address in which /, ?, #, @ and % of the password are written as";

test.each([
  [
    "postgres://user@one:5432,two:5432/gate",
    "the address of one host. For several, use an address that leads to the primary",
  ],
  ["postgres://one,two/gate", "the address of one host"],
  ["postgres://one/gate?target_session_attrs=standby", "without target_session_attrs: the supported parameters are"],
  ["postgres://one/gate?pgbouncer=true&sslcrl=b", "without pgbouncer, sslcrl: the supported parameters are"],
  ["postgres://one/gate?sslcert=own.pem", "with sslcert and sslkey, or with neither"],
  ["postgres://one/gate?sslmode=require&sslcert=no.pem&sslkey=no.pem", "with an sslcert that is a file in PEM form"],
  ["postgres://one/gate?sslcert=own.pem&sslkey=own.key", "without sslcert, or with an sslmode that encrypts"],
  ["postgres://one/gate?channel_binding=require", "without channel_binding=require, or with an sslmode that encrypts"],
  ["postgres://one/gate?channel_binding=on", "with a channel_binding that is one of"],
  ["postgres://u:/S3cret@one/gate", PERCENT],
  ["postgres://u:12#S3cret@one/gate", PERCENT],
  ["postgres://u:12?S3cret@one/gate", PERCENT],
  ["postgres://u:S3@cret@one/gate", PERCENT],
  ["postgres://u:S3cret@one:port/gate", "with a port from 0 to 65535"],
  ["postgres://u:S3cret@one:99999/gate", "with a port from 0 to 65535"],
  ["postgres://one/gate?ssl=1", "without ssl: the supported parameters are"],
  ["postgres://one/gate?ssl=verify-full", "without ssl: the supported parameters are"],
  ["postgres://one/gate?ssl=true&sslmode=disable", "without ssl: the supported parameters are"],
  ["host=one password=my S3=cret", "without others: the supported parameters are"],
  ["host=one password='S3cret", "an address such as"],
  ["host=one host=two", "with host only once"],
  ["postgres://one/gate?sslmode=allow", "with an sslmode that is one of disable, prefer, require"],
  ["postgres://one/gate?sslmode=prefer&sslrootcert=own.pem", "without sslrootcert, or with an sslmode that checks"],
  ["postgres://one/gate?sslrootcert=none.pem", 'with an sslrootcert that is "system" or a file'],
  ["postgres://one/gate?sslrootcert=no.pem", 'with an sslrootcert that is "system" or a file'],
  ["postgres://one/gate?sslmode=disable&sslmode=verify-full", "with sslmode only once"],
  ["postgres://user:50%off@one/gate", "an address in which % begins two hexadecimal digits"],
  ["http://one/gate", "an address such as postgres://"],
  ["postgres", "an address such as postgres://"],
])("DATABASE_URL %s is rejected with an explanation", (text, words) => {
  const problem = problemsOf(text.replace(/=(\w+\.(?:pem|key))/g, (_, name) => `=${file(name)}`));
  expect(problem).toStartWith(`DATABASE_URL is "…"; it must be ${words}`);
  expect(problem).not.toContain("S3");
});

test("the keywords of a console's psql command are accepted", async () => {
  const { port, username, password } = plain;
  const sql = connect(
    `host=localhost port=${port} dbname=postgres user='${username}' password = ${password.replace(/(?=\W)/g, "\\")} sslmode=verify-full sslrootcert='${file("own.pem")}'`,
    "gatehouse test",
    1,
  );
  expect(await rowsOf("pg_stat_activity", { pid: await sessionOf(sql) }, sql)).toMatchObject([{ usename: username }]);
  await sql.end();
});

test.each([
  ["DATABASE_URL", "postgres://user:S3cret@one/gate\n", "none"],
  ["DATABASE_URL", "postgres://user:/S3cret@one/gate", `DATABASE_URL is "…"; it must be ${PERCENT}`],
  ["METRICS_TOKEN", "0123456789abcdef\n", "none"],
  ["MASTER_KEY", "\n", "MASTER_KEY_FILE is"],
])("%s may be in a file, which holds %j: %s", (name, text, problem) => {
  writeFileSync(file("secret"), text);
  expect(problemsOf({ [`${name}_FILE`]: file("secret") })).toStartWith(problem);
});

test("a variable's file must be readable, and the only value", () => {
  expect(problemsOf({ MASTER_KEY_FILE: file("none") })).toBe(
    "MASTER_KEY_FILE is set, but cannot be read (ENOENT); it must be the path of a file with the value",
  );
  writeFileSync(file("secret"), "postgres://one/gate");
  const both = { DATABASE_URL: "postgres://one/gate", DATABASE_URL_FILE: file("secret") };
  expect(problemsOf(both)).toBe("DATABASE_URL and DATABASE_URL_FILE are set; only one of them may be");
});

function at(host: string, query: string): string {
  const url = new URL(plain);
  url.hostname = host;
  url.search = query
    .replace(/=(\w+\.(?:pem|key))/g, (_, name) => `=${encodeURIComponent(file(name))}`)
    .replace("SOCKETS", () => encodeURIComponent(directory));
  return url.href;
}

function problemsOf(given: string | Record<string, string>): string {
  try {
    readConfig(typeof given === "string" ? { DATABASE_URL: given } : given);
    return "none";
  } catch (error) {
    return (error as ConfigError).problems.join();
  }
}
