// Values of the TEMPORAL_ variables.

import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ConfigError, readConfig } from "../../server/platform/config/config.ts";
import { newAuthority } from "../support/client-certificates.ts";
import { temporaryDirectory } from "../support/directories.ts";

const folder = temporaryDirectory("temporal-settings");
const file = (name: string) => join(folder, name);
const CERTIFICATE = "TEMPORAL_TLS_CLIENT_CERT_PATH";
const PRIVATE_KEY = "TEMPORAL_TLS_CLIENT_KEY_PATH";
const AUTHORITY = "TEMPORAL_TLS_SERVER_CA_CERT_PATH";
const valid = {
  TEMPORAL_ADDRESS: "temporal.internal:7233",
  [CERTIFICATE]: file("own.pem"),
  [PRIVATE_KEY]: file("own.key"),
  [AUTHORITY]: file("ca.pem"),
};

beforeAll(async () => {
  const authority = await newAuthority();
  const [own, other] = await Promise.all([authority.issue("/CN=gatehouse"), authority.issue("/CN=other")]);
  writeFileSync(file("ca.pem"), authority.ca);
  writeFileSync(file("own.pem"), own.cert);
  writeFileSync(file("own.key"), own.key);
  writeFileSync(file("other.key"), other.key);
  writeFileSync(file("no.pem"), "this is no certificate");
});

test("the connection has the certificates, the name of the server, the API key and the headers", async () => {
  const { temporal } = readConfig({
    ...valid,
    TEMPORAL_TLS_SERVER_NAME: "cluster.internal",
    TEMPORAL_API_KEY: "key",
    TEMPORAL_GRPC_META_X_REGION: "eu",
  });
  const text = (name: string) => Bun.file(file(name)).text();
  const { tls, channelArgs: _, ...others } = temporal.connection;
  expect(others).toEqual({ address: "temporal.internal:7233", apiKey: "key", metadata: { "x-region": "eu" } });
  expect(
    JSON.parse(JSON.stringify(tls, (_, value) => (value?.type === "Buffer" ? `${Buffer.from(value)}` : value))),
  ).toEqual({
    serverNameOverride: "cluster.internal",
    serverRootCACertificate: await text("ca.pem"),
    clientCertPair: { crt: await text("own.pem"), key: await text("own.key") },
  });
});

test.each([
  [{}, undefined],
  [{ TEMPORAL_TLS: "true" }, {}],
  [{ TEMPORAL_TLS: "false", TEMPORAL_API_KEY: "key" }, false],
  [{ TEMPORAL_API_KEY: "key" }, {}],
  [{ TEMPORAL_API_KEY: "", [CERTIFICATE]: "", TEMPORAL_TLS: "" }, undefined],
])("with %o TLS is %o", (env, tls) => {
  expect(readConfig(env).temporal.connection.tls).toEqual(tls);
});

test.each([
  ["temporal.internal", "temporal.internal:7233"],
  ["[::1]:7000", "[::1]:7000"],
])("the address %s is that of %s", (TEMPORAL_ADDRESS, address) => {
  expect(readConfig({ TEMPORAL_ADDRESS }).temporal.address).toBe(address);
});

test.each([
  [
    { TEMPORAL_ADDRESS: "http://temporal:7233" },
    `TEMPORAL_ADDRESS is "http://temporal:7233"; it must be a host and a port`,
  ],
  [{ TEMPORAL_ADDRESS: "temporal:70000" }, `TEMPORAL_ADDRESS is "temporal:70000"; it must be a host and a port`],
  [{ TEMPORAL_API_KEY: "a\nb" }, `TEMPORAL_API_KEY is "…"; it must be visible ASCII characters in one line`],
  [{ TEMPORAL_GRPC_META_X: "ü" }, `TEMPORAL_GRPC_META_X is "ü"; it must be visible ASCII characters in one line`],
  [{ TEMPORAL_ADDRESS: "temporal:0" }, `TEMPORAL_ADDRESS is "temporal:0"; it must be a host and a port`],
  [{ "TEMPORAL_GRPC_META_A B": "x" }, "TEMPORAL_GRPC_META_A B is set, which names no header; it must be such as"],
  [{ TEMPORAL_GRPC_META_: "x" }, "TEMPORAL_GRPC_META_ is set, which names no header"],
  [{ TEMPORAL_GRPC_META_A_BIN: "x" }, "TEMPORAL_GRPC_META_A_BIN is set, which names no header"],
  [{ TEMPORAL_NAMESPACE: " " }, `TEMPORAL_NAMESPACE is " "; it must be visible ASCII characters in one line`],
  [{ TEMPORAL_TLS_SERVER_NAME: "https://a" }, `TEMPORAL_TLS_SERVER_NAME is "https://a"; it must be a host name`],
  [{ TEMPORAL_TLS: "perhaps" }, `TEMPORAL_TLS is "perhaps"; it must be true or false`],
  [{ [CERTIFICATE]: file("none.pem") }, "it must be a file of a certificate in PEM form (ENOENT)"],
  [{ [CERTIFICATE]: file("no.pem") }, "it must be a file of a certificate in PEM form"],
  [{ [PRIVATE_KEY]: file("own.pem") }, "it must be a file of a private key without a passphrase in PEM form"],
  [{ [AUTHORITY]: file("no.pem") }, "it must be a file of certificates in PEM form"],
  [
    { TEMPORAL_TLS_CLIENT_CERT_DATA: "no" },
    `TEMPORAL_TLS_CLIENT_CERT_DATA is "…"; it must be a certificate in PEM form`,
  ],
  [{ [CERTIFICATE]: "" }, `${PRIVATE_KEY} is set, which needs the key's certificate in ${CERTIFICATE}`],
  [{ [PRIVATE_KEY]: "" }, `${CERTIFICATE} is set, which needs the certificate's private key in ${PRIVATE_KEY}`],
  [{ [PRIVATE_KEY]: file("other.key") }, `${PRIVATE_KEY} is not the private key of the certificate in ${CERTIFICATE}`],
  [{ TEMPORAL_TLS_CLIENT_CERT_PAHT: "x" }, `it must be ${CERTIFICATE}`],
])("%o is reported by name", (change, message) => {
  let problems: string[] = [];
  try {
    readConfig({
      ...valid,
      ...change,
      ...("TEMPORAL_TLS_CLIENT_CERT_PAHT" in change && { [CERTIFICATE]: undefined, [PRIVATE_KEY]: undefined }),
    });
  } catch (error) {
    problems = (error as ConfigError).problems;
  }
  expect(problems.some((problem) => problem.includes(message))).toBe(true);
});
