// The programs of an application's page Connect run unchanged.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, cpSync, readdirSync, symlinkSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { decodeJwt, SignJWT } from "jose";
import type { Page } from "playwright-core";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { snippet, USES } from "../../server/console/applications/snippets.ts";
import { CREDENTIALS, type CredentialsRecord } from "../../server/identity/oauth/clients/contract.ts";
import { openWindows } from "../support/browser.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { frameworkPackages, pythonPackages } from "../support/packages.ts";
import { ROOT } from "../support/pages.ts";
import { type Api, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { enterSettings, type Visitor } from "../world/console.ts";
import { typeCode } from "../world/device.ts";
import { askToken, formOf, otherProcess } from "../world/grants.ts";
import { rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor as PlainBrowser } from "../world/visitor.ts";
import { isHere, isRead, isRun, runnerOf } from "./snippet-runners.ts";

const EXAMPLES = join(ROOT, "examples/clients");

const browser = openWindows();
let api: Api;
let settings: Visitor;
let folder: string;
beforeAll(async () => {
  api = await newTenant();
  settings = await enterSettings(browser, api.tenant);
  folder = temporaryDirectory("snippets");
  chmodSync(folder, 0o700);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const name of ["go.mod", "go.sum"]) cpSync(join(EXAMPLES, name), join(folder, name));
});
afterAll(() => settings?.[Symbol.asyncDispose]());

/** A client made by "New application", and the programs on its page. */
async function made(kind: string, redirectUri?: string) {
  const { page, open } = settings;
  await open(`/settings/new-application/${kind}`);
  await page.getByLabel("Name", { exact: true }).fill(`${kind} ${Bun.randomUUIDv7()}`);
  if (redirectUri) {
    await page.getByLabel("Redirect URIs", { exact: true }).fill(redirectUri);
    const homes = redirectUri.split("\n").map((address) => new URL("/", address).href);
    await page.getByLabel("Redirect URIs after sign-out").fill(homes.join("\n"));
  }
  await page.getByRole("button", { name: "Create the application" }).click();
  let secret = "";
  if (["web", "machine", "api"].includes(kind)) {
    await page.getByRole("heading", { name: "Secret", level: 1 }).waitFor();
    secret = (await page.locator(".secret code").textContent())!;
    await page.getByRole("link", { name: "Connect it" }).click();
  }
  await page.getByRole("heading", { name: "Endpoints" }).waitFor();
  const clientId = new URL(page.url()).pathname.split("/").at(-2)!;
  const programs = await programsOn(page);
  expect(await page.content()).not.toContain(secret || "no secret");
  // Tokens that expire within the minute are refreshed at each use.
  if (redirectUri) await api.made(`Application/${clientId}/Credentials`, { AccessTokenLifetime: 60 });
  return { clientId, secret, programs };
}

async function programsOn(page: Page): Promise<Map<string, string>> {
  const names = await page.locator(".choose > label").allTextContents();
  const texts = await page
    .getByRole("button", { name: "Copy the program", includeHidden: true })
    .evaluateAll((buttons) => buttons.map((button) => (button as HTMLElement).dataset.copy!));
  return new Map(names.map((name, index) => [name, texts[index]!]));
}

/** Writes a program to its own folder, as a user would. */
async function started(name: string, text: string, env: Record<string, string>, port?: string) {
  const runner = runnerOf(name);
  const own = join(folder, Bun.randomUUIDv7());
  const file = join(own, runner.file);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  if (runner.tool === "go") for (const one of ["go.mod", "go.sum"]) cpSync(join(folder, one), join(own, one));
  const packages = runner.tool === "python3" && { PYTHONPATH: await pythonPackages() };
  const child = Bun.spawn(await runner.command(own, port), {
    cwd: own,
    env: {
      ...process.env,
      ...{ ...packages, PYTHONUNBUFFERED: "1", NEXT_TELEMETRY_DISABLED: "1" },
      ...{ CGO_ENABLED: "0", GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly", GOWORK: "off" },
      ...env,
    },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const printed = { out: "", err: "" };
  const read = async (pipe: ReadableStream<Uint8Array>, into: "out" | "err") => {
    const decoder = new TextDecoder();
    for await (const part of pipe) printed[into] += decoder.decode(part, { stream: true });
  };
  const all = Promise.all([read(child.stdout, "out"), read(child.stderr, "err")]);
  return {
    child,
    printed,
    async [Symbol.asyncDispose]() {
      // `go run` starts a child process.
      if (child.exitCode === null) process.kill(-child.pid, "SIGKILL");
      await child.exited;
      await all;
    },
    async ended() {
      await child.stdin.end();
      const code = await child.exited;
      await all;
      return { code, ...printed };
    },
  };
}

const secretOf = ({ secret }: { secret: string }): Record<string, string> => (secret ? { CLIENT_SECRET: secret } : {});

/** Through the sign-in pages to the final redirect. */
async function signedIn(address: URL): Promise<URL> {
  const visitor = new PlainBrowser(issuer());
  let view = await visitor.open(address.pathname + address.search);
  view = await visitor.submit(view, api.tenant.admin);
  if (view.heading === "Allow access") view = await visitor.submit(view, { decision: "allow" });
  return view.location!;
}

/** Opens a tab beside the console, and returns the user that the program shows. */
async function signedInBeside(address: string): Promise<string> {
  const tab = await settings.page.context().newPage();
  await tab.goto(address);
  const allow = tab.getByRole("button", { name: "Allow" });
  const shown = tab.getByText('"sub":');
  await allow
    .or(shown)
    .waitFor()
    .catch(async () => expect(await tab.locator("body").textContent()).toBe("a question, or who it is"));
  // Cookies of the console's pages are separate from the program's.
  await expectConsole();
  if (await allow.isVisible()) await allow.click();
  await shown.waitFor();
  const text = await tab.locator("body").textContent();
  await tab.close();
  return text!;
}

/** Signs in with a browser of its own, stays signed in by fresh tokens, and signs out. */
async function staysSignedIn(redirectUri: string, clientId: string): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const home = new URL("/", redirectUri).href;
  await page.goto(new URL("/login", redirectUri).href);
  await page.getByLabel("User name").fill(api.tenant.admin.username);
  await page.getByLabel("Password").fill(api.tenant.admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText('"sub":').waitFor();
  expect(page.url()).toBe(home);
  await page.reload();
  await page.getByText('"sub":').waitFor();
  const families = () => rowsOf("refresh_families", { application_id: clientId });
  expect(Math.max(...(await families()).map(({ generation }) => generation))).toBeGreaterThan(1);
  const revoked = (await families()).filter(({ revoked_on }) => revoked_on !== null).length;
  await page.getByRole("button", { name: "Sign out" }).click();
  // It asks first if it does not know the way back.
  if (page.url().startsWith(issuer())) {
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(home);
  }
  await page.getByRole("link", { name: "Sign in" }).waitFor();
  expect((await families()).filter(({ revoked_on }) => revoked_on !== null).length).toBeGreaterThan(revoked);
  await context.close();
}

/** The browser is still signed in to the console. */
async function expectConsole(): Promise<void> {
  const answer = await settings.page.context().request.get(`${issuer()}/settings`);
  expect(await answer.text()).toContain("Sign out");
}

test("every program of examples/clients is on a page", () => {
  const files = [...new Set(USES.flatMap(({ programs }) => Object.values(programs)))];
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((one) => one.isDirectory());
  const there = folders.flatMap(({ name }) => readdirSync(join(EXAMPLES, name)).map((file) => `${name}/${file}`));
  expect(files.toSorted()).toEqual(there.toSorted());
});

test.each(["web", "native"])(
  "%s: each program signs a person in from the console, and rejects an answer of another browser",
  async (kind) => {
    const reserved = new Set<number>();
    const addresses: string[] = [];
    const count = kind === "native" ? 4 : 10;
    for (let index = 0; index < count; index++)
      addresses.push(`http://localhost:${await nextFreePort(0, "127.0.0.1", reserved)}/callback`);
    // A native client may use any port.
    const client = await made(kind, kind === "native" ? "http://localhost/callback" : addresses.join("\n"));
    const shown = kind === "native" ? "http://localhost:3001/callback" : addresses[0]!;
    expect(client.programs.size).toBe(addresses.length);
    await Promise.all([...client.programs].map(([name, text]) => isRead(name, text, folder)));
    const programs = [...client.programs].filter(([name]) => isRun(name) && isHere(name));
    await using running = new AsyncDisposableStack();
    const begun: (() => Promise<void>)[] = [];
    for (const [index, [name, text]] of programs.entries()) {
      const [from, to] = [shown, addresses[index]!].map((address) => new URL(address).host) as [string, string];
      const { port } = new URL(addresses[index]!);
      const program = running.use(await started(name, text.replaceAll(from, to), secretOf(client), port));
      begun.push(() =>
        name.startsWith("By hand")
          ? signInByHand(program)
          : signInAt(name, program, addresses[index]!).then(() => staysSignedIn(addresses[index]!, client.clientId)),
      );
    }
    // They start in parallel, and are visited in sequence: two of them use the same cookie name.
    for (const visit of begun) await visit();
    await expectConsole();
  },
);

type Program = Awaited<ReturnType<typeof started>>;

async function signInByHand(program: Program): Promise<void> {
  const address = await until("the address", () => /^Open this:\n(\S+)$/m.exec(program.printed.out)?.[1]);
  program.child.stdin.write(`${await signedIn(new URL(address))}\n`);
  const { code, out } = await program.ended();
  const tokens = JSON.parse(out.slice(out.indexOf("{")));
  expect([code, tokens]).toMatchObject([0, { token_type: "Bearer", id_token: expect.any(String) }]);
}

async function signInAt(name: string, program: Program, redirectUri: string): Promise<void> {
  const begin = () => fetch(new URL("/login", redirectUri), { redirect: "manual" });
  const begun = await until(`${name} to listen`, async () => {
    expect([name, program.child.exitCode, program.printed.err]).toEqual([name, null, expect.any(String)]);
    return begin().catch(() => undefined);
  });
  const answer = await signedIn(new URL(begun.headers.get("location")!));
  expect(answer.origin + answer.pathname).toBe(redirectUri);
  const other = await fetch(answer, { redirect: "manual" });
  const location = new URL(other.headers.get("location") ?? "", redirectUri).href;
  expect([name, other.status, location]).toEqual([name, 302, new URL("/login", redirectUri).href]);
  // The second time, the browser is already signed in.
  for (const _ of ["first", "again"]) {
    expect(await signedInBeside(new URL("/login", redirectUri).href)).toMatch(/"sub": ?"user-\d+"/);
  }
}

test("device: each program signs in a person who enters its code elsewhere", async () => {
  const client = await made("device");
  expect(client.programs.size).toBe(2);
  for (const [name, text] of client.programs) {
    if (!isHere(name)) continue;
    await using program = await started(name, text, {});
    const code = await until("the code", () => / and type ([A-Z]{4}-[A-Z]{4})$/m.exec(program.printed.out)?.[1]);
    const visitor = new PlainBrowser(issuer());
    const page = await typeCode(visitor, code);
    const question = await visitor.submit(page, api.tenant.admin);
    expect((await visitor.submit(question, { decision: "allow" })).heading).toBe("The device is signed in");
    const ended = await program.ended();
    expect([name, ended.code, ended.err]).toEqual([name, 0, expect.any(String)]);
    const answer = JSON.parse(ended.out.slice(ended.out.indexOf("{")));
    if (name.endsWith("(curl)")) expect(answer).toMatchObject({ token_type: "Bearer", id_token: expect.any(String) });
    else expect(answer).toMatchObject({ sub: expect.stringMatching(/^user-\d+$/) });
  }
});

test("spa: each program signs a person in, in a page beside the console", async () => {
  let script = "";
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) =>
      new URL(url).pathname === "/app.js"
        ? new Response(script, { headers: { "content-type": "text/javascript" } })
        : new Response(
            '<!doctype html><title>App</title><link rel="icon" href="data:,"><body><script type="module" src="/app.js"></script>',
            { headers: { "content-type": "text/html" } },
          ),
  });
  const redirectUri = `http://localhost:${server.port}/callback`;
  const client = await made("spa", redirectUri);
  expect(client.programs.size).toBe(6);
  const own = join(folder, "pages");
  await mkdir(own);
  symlinkSync(join(await frameworkPackages(), "node_modules"), join(own, "node_modules"));
  for (const [name, text] of client.programs) {
    const entrypoint = join(own, `${Bun.randomUUIDv7()}.jsx`);
    await writeFile(entrypoint, text);
    const built = await Bun.build({ entrypoints: [entrypoint], target: "browser" });
    script = await built.outputs[0]!.text();
    const page = await settings.page.context().newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(redirectUri);
    const allow = page.getByRole("button", { name: "Allow" });
    const done = page.getByText("Signed in: ");
    await allow.or(done).waitFor();
    if (await allow.isVisible()) await allow.click();
    await done.waitFor().catch(() => expect([name, problems]).toEqual([name, []]));
    expect(await page.locator("body").textContent()).toMatch(/"sub":"user-\d+"/);
    await page.close();
  }
  await expectConsole();
});

test("machine and api: one gets a token and calls with it, the other checks it and rejects others", async () => {
  const machine = await made("machine");
  expect(machine.programs.size).toBe(4);
  for (const [name, text] of machine.programs) {
    if (!isHere(name)) continue;
    await using program = await started(name, text, secretOf(machine));
    const { code, out, err } = await program.ended();
    expect([name, code, err, JSON.parse(out || "{}")]).toMatchObject([name, 0, expect.any(String), { Items: [] }]);
  }
  const service = await made("api");
  // This service's audience is the same for all organisations' tokens.
  expect(service.programs.size).toBe(0);
  await settings.page.getByText("it needs an API with its own audience").waitFor();
  const asked = { clientId: machine.clientId, clientSecret: machine.secret };
  const tokenFor = async (more: Record<string, string>) => {
    const { status, body } = await askToken(formOf(asked, more));
    expect([status, body]).toEqual([200, expect.anything()]);
    return body.access_token as string;
  };
  // After it became the client of an API, it accepts that API's tokens.
  const Audience = `https://orders.example.org/${Bun.randomUUIDv7()}`;
  const Scopes = [{ Name: "orders:read", Description: "Read orders" }];
  await api.made("Api", { Name: "Orders", Audience, Scopes, ApplicationId: service.clientId });
  await api.made(`Application/${machine.clientId}/Credentials`, { Scopes: ["AccessManager:Read", "orders:read"] });
  await settings.open(`/settings/applications/${service.clientId}/connect`);
  const programs = await programsOn(settings.page);
  await check(service, programs, machine.clientId, await tokenFor({ scope: "orders:read", resource: Audience }));
});

/** The claims of a refresh token, signed with our own key: only its type differs. */
async function asRefreshToken(token: string): Promise<string> {
  const { kid, key } = await otherProcess(issuer()).keys.signingKey("RS256");
  return new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: "RS256", typ: "rt+jwt", kid }).sign(key);
}

/** Each program accepts the token, and rejects one that is unsigned or of a different type. */
async function check(service: { secret: string }, programs: Map<string, string>, clientId: string, token: string) {
  for (const [name, text] of programs) {
    if (!isHere(name)) continue;
    await using good = await started(name, text, { ...secretOf(service), TOKEN: token });
    const { out, err } = await good.ended();
    expect([name, err, JSON.parse(out || "{}")]).toMatchObject([name, expect.any(String), { client_id: clientId }]);
    for (const TOKEN of [`${token.slice(0, -6)}AAAAAA`, await asRefreshToken(token)]) {
      await using bad = await started(name, text, { ...secretOf(service), TOKEN });
      const refused = await bad.ended();
      if (name.startsWith("Introspection")) expect(JSON.parse(refused.out)).toEqual({ active: false });
      else expect([name, refused.code === 0, refused.out]).toEqual([name, false, ""]);
    }
  }
}

const CLIENT: CredentialsRecord = { ...CREDENTIALS.example, ClientType: "confidential" };

test("over TLS no program allows plain http", () => {
  for (const file of USES.flatMap(({ programs }) => Object.values(programs))) {
    const values = { issuer: "https://id.example.com", clientId: "1234", client: CLIENT, api: undefined };
    const text = snippet(file, values);
    expect([file, text.includes("allowInsecure")]).toEqual([file, false]);
    expect([file, /localhost:300|1001/.test(text)]).toEqual([file, false]);
    if (/jsx?$/.test(file)) new Bun.Transpiler({ loader: "jsx" }).scan(text);
  }
});

test("programs escape values that have a meaning in strings", () => {
  for (const hostile of [
    'https://a.example/"+evil()+"',
    "https://a.example/';evil;'",
    "https://a.example/$(evil)",
    "https://a.example/`evil`",
  ]) {
    const client = { ...CLIENT, RedirectUris: [hostile] };
    for (const file of Object.values(USES[0]!.programs)) {
      expect(snippet(file, { issuer: issuer(), clientId: "1", client, api: undefined })).not.toContain("evil");
    }
  }
});
