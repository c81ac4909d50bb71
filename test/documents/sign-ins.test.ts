// Runs the programs of docs/sign-in.md that sign users in with a library.

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { blockMarked, blocksMarked, ROOT } from "../support/pages.ts";
import { until } from "../world/api.ts";
import { issuer, newClient, setCredentials } from "../world/client.ts";
import { setUsers } from "../world/planted.ts";
import { type View, Visitor } from "../world/visitor.ts";

interface Library {
  callback: string;
  /** Serves the program. */
  server: string;
  command: string[];
  /** @returns the page after the program's redirect */
  begin(browser: Visitor): Promise<View>;
  /** The path that shows the user's name; `null` without a user */
  whoami: string;
  user: object;
}

const LIBRARIES: Record<string, Library> = {
  "Auth.js": {
    callback: "/auth/callback/gatehouse",
    server: `import { handle } from "./program.mjs";
Bun.serve({ hostname: "127.0.0.1", port: Number(process.env.PORT), fetch: handle });
`,
    command: [process.execPath, "main.mjs"],
    async begin(browser) {
      const { csrfToken } = JSON.parse((await browser.open("/auth/csrf")).html);
      return browser.post("/auth/signin/gatehouse", { csrfToken, callbackUrl: `${browser.origin}/auth/session` });
    },
    whoami: "/auth/session",
    user: { user: { name: "Ada Lovelace", email: "ada@example.com" } },
  },
  "passport-openidconnect": {
    callback: "/callback",
    server: `import { app } from "./program.mjs";
app.listen(Number(process.env.PORT), "127.0.0.1");
`,
    command: ["node", "main.mjs"],
    begin: (browser) => browser.open("/login"),
    whoami: "/",
    user: { displayName: "Ada Lovelace", emails: [{ value: "ada@example.com" }] },
  },
};

test("every program of the page is tested", () => {
  const found = blocksMarked("sign-in").map(({ mark }) => mark.replace("sign-in: ", ""));
  expect(found.toSorted()).toEqual(Object.keys(LIBRARIES).toSorted());
});

test.each(Object.entries(LIBRARIES))(
  "%s signs a user in, and rejects an answer of another browser",
  async (name, library) => {
    const origin = `http://localhost:${await nextFreePort(0, "127.0.0.1", new Set())}`;
    const client = await newClient({
      scopes: ["openid", "profile", "email"],
      redirect_uris: [origin + library.callback],
    });
    await setCredentials(client.id, { id_token_claims: true });
    await setUsers(client.tenant, { name: "Ada Lovelace", email: "ada@example.com" });
    await using _ = run(library, textOf(name, origin, client.id), origin, client.tenant.client.clientSecret);

    const [user, stranger] = [new Visitor(origin), new Visitor(origin)];
    await until(`${name} to listen`, () => user.open(library.whoami).catch(() => undefined));
    const [begun] = [await library.begin(user), await library.begin(stranger)];
    const { pathname, search } = begun.location!;
    expect(begun.location!.origin).toBe(issuer());
    const gatehouse = new Visitor(issuer());
    const { location: back } = await client.goThrough(gatehouse, await gatehouse.open(pathname + search));
    const whoami = async (browser: Visitor) => JSON.parse((await browser.open(library.whoami)).html);

    await stranger.open(back!.pathname + back!.search);
    expect(await whoami(stranger)).toBeNull();
    await user.open(back!.pathname + back!.search);
    expect(await whoami(user)).toMatchObject(library.user);
  },
);

/** The program with the values of a matching application. */
function textOf(name: string, origin: string, clientId: string): string {
  return blockMarked(`sign-in: ${name}`)
    .text.replaceAll("https://id.example.com", issuer())
    .replaceAll("https://app.example", origin)
    .replaceAll('"1001"', `"${clientId}"`);
}

function run({ server, command }: Library, program: string, origin: string, clientSecret: string): AsyncDisposable {
  const folder = temporaryDirectory("sign-ins");
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "program.mjs"), program);
  writeFileSync(join(folder, "main.mjs"), server);
  const [CLIENT_SECRET, SECRET] = [clientSecret, Bun.randomUUIDv7()];
  const values = { PORT: new URL(origin).port, CLIENT_SECRET, AUTH_SECRET: SECRET, SESSION_SECRET: SECRET };
  const env = { ...process.env, ...values };
  const child = Bun.spawn(command, { cwd: folder, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
