// `bun run receiver`: a local HTTPS receiver for trying webhooks.

import { resolve } from "node:path";
import { ensureReceiverCertificate } from "./certificate.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { createReceiver, MAX_BODY_BYTES } from "./receiver.ts";

const options = optionsOrExit();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
const certificate = await certificateOrExit(resolve(process.env.DATA_DIR || ".gatehouse"));
const servers = listenOrExit();
const { port } = servers[0]!;
console.log(`Receiver is listening on https://localhost:${port}/ (${servers.map(({ hostname }) => hostname).join(", ")})

  Allow Gatehouse to connect:  bun run start --allow-receiver
                          or EGRESS_ALLOW=localhost:${port} EGRESS_CA_FILE=${certificate.caFile}
  Webhook connection:     URL https://localhost:${port}/
  Stop:                   Ctrl-C
`);

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, async () => {
    await Promise.all(servers.map((server) => server.stop(true)));
    process.exit(0);
  });
}

function optionsOrExit(): Options {
  try {
    return readOptions(process.argv.slice(2), process.env);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}

function certificateOrExit(dataDir: string) {
  return ensureReceiverCertificate(dataDir).catch((error: Error) => {
    console.error(`DATA_DIR is "${dataDir}"; it must be a directory that this user can write to (${error.message})`);
    process.exit(1);
  });
}

function listenOrExit() {
  const handle = createReceiver(options, (text) => console.log(text));
  const listen = (hostname: string, port: number) =>
    Bun.serve({
      hostname,
      port,
      tls: { cert: Bun.file(certificate.certFile), key: Bun.file(certificate.keyFile) },
      // --delay may exceed the ten seconds after which Bun closes idle connections.
      idleTimeout: 0,
      maxRequestBodySize: MAX_BODY_BYTES,
      fetch: handle,
    });
  try {
    const four = listen("127.0.0.1", options.port);
    return [four, ...tryListen(() => listen("::1", four.port!))];
  } catch (error) {
    console.error(
      `Port ${options.port} cannot be used (${(error as { code?: string }).code}); choose another by --port`,
    );
    process.exit(1);
  }
}

/** Some machines have no IPv6; Gatehouse tries all addresses of localhost. */
function tryListen<T>(listen: () => T): T[] {
  try {
    return [listen()];
  } catch {
    return [];
  }
}
