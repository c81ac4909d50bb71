// Values of DATABASE_URL, and verification of its TLS connection, with a real PostgreSQL.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync, chmodSync, chownSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "selfsigned";
import { type ConfigError, readConfig } from "../../server/config.ts";
import { connect } from "../../server/db/sql.ts";
import { Part } from "../../server/embedded/part.ts";
import { nextFreePort } from "../../server/embedded/ports.ts";
import { preparePostgresql } from "../../server/embedded/postgresql.ts";
import { newDataDirectory, temporaryDirectory } from "../support/directories.ts";

const directory = temporaryDirectory("tls");
const file = (name: string) => join(directory, name);
let postgresql: Part;
let plain: URL;

beforeAll(async () => {
  const [own, other] = await Promise.all([certificate("localhost"), certificate("localhost")]);
  writeFileSync(file("own.pem"), own.cert);
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
});
afterAll(() => postgresql?.stop());

const certificate = (name: string) =>
  generate([{ name: "commonName", value: name }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: name }] }],
  });

test.each([
  ["localhost", "", false],
  ["localhost", "sslmode=disable", false],
  ["localhost", "sslmode=prefer", true],
  ["127.0.0.1", "sslmode=require", true],
  ["localhost", "sslrootcert=own.pem", true],
  ["localhost", "sslmode=verify-full&sslrootcert=own.pem", true],
  ["127.0.0.1", "sslmode=verify-ca&sslrootcert=own.pem", true],
  ["127.0.0.1", "sslmode=require&sslrootcert=own.pem", true],
])("at %s, %s is accepted", async (host, query, encrypted) => {
  const sql = connect(at(host, query), "gatehouse test", 1);
  const [row] = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
  expect(row).toEqual({ ssl: encrypted });
  await sql.end();
});

test.each([
  ["127.0.0.1", "sslmode=verify-full&sslrootcert=own.pem"],
  ["localhost", "sslmode=verify-full&sslrootcert=other.pem"],
  ["localhost", "sslmode=verify-ca&sslrootcert=other.pem"],
  ["localhost", "sslmode=require&sslrootcert=other.pem"],
  ["localhost", "sslmode=verify-full"],
  ["localhost", "sslmode=verify-full&sslrootcert=system"],
])("at %s, by %s, the server certificate is rejected", async (host, query) => {
  const sql = connect(at(host, query), "gatehouse test", 1);
  expect(await sql`select`.then(String, (error: Error) => error)).toBeInstanceOf(Error);
  await sql.end({ timeout: 1 });
});

test.each([
  [
    "postgres://user@one:5432,two:5432/gate",
    "the address of one host. For several, use an address that leads to the primary",
  ],
  ["postgres://one,two/gate", "the address of one host"],
  ["postgres://one/gate?target_session_attrs=read-write", "without target_session_attrs: the supported parameters are"],
  [
    "postgres://one/gate?application_name=a&sslcert=b",
    "without application_name, sslcert: the supported parameters are",
  ],
  ["postgres://one/gate?sslmode=allow", "with an sslmode that is one of disable, prefer, require"],
  ["postgres://one/gate?sslmode=prefer&sslrootcert=own.pem", "without sslrootcert, or with an sslmode that checks"],
  ["postgres://one/gate?sslrootcert=none.pem", 'with an sslrootcert that is "system" or a file'],
  ["postgres://one/gate?sslrootcert=no.pem", 'with an sslrootcert that is "system" or a file'],
  ["postgres://one/gate?sslmode=disable&sslmode=verify-full", "with sslmode only once"],
  ["postgres://user:50%off@one/gate", "an address in which % begins two hexadecimal digits"],
  ["http://one/gate", "an address such as postgres://"],
  ["postgres", "an address such as postgres://"],
])("DATABASE_URL %s is rejected with an explanation", (text, words) => {
  const problem = problemsOf(text.replace(/=(\w+)\.pem/, (_, name) => `=${file(`${name}.pem`)}`));
  expect(problem).toStartWith(`DATABASE_URL is "…"; it must be ${words}`);
});

function at(host: string, query: string): string {
  const url = new URL(plain);
  url.hostname = host;
  url.search = query.replace(/=(\w+)\.pem/, (_, name) => `=${encodeURIComponent(file(`${name}.pem`))}`);
  return url.href;
}

function problemsOf(DATABASE_URL: string): string {
  try {
    readConfig({ DATABASE_URL });
    return "none";
  } catch (error) {
    return (error as ConfigError).problems.join();
  }
}
