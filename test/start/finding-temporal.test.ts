import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { cacheFolder, findTemporal } from "../../server/embedded/temporal-binary.ts";
import { temporaryDirectory } from "../support/stack.ts";

const GO = Bun.which("go");
/** A cold build takes minutes; the test run's own search has usually warmed Go's cache. */
const BUILD_PATIENCE = 15 * 60_000;

let silent: Server;
let refusing: Record<string, string>;
let unanswering: Record<string, string>;

beforeAll(async () => {
  silent = createServer(() => {});
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  const { port } = silent.address() as { port: number };
  unanswering = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
  // Nothing can listen on port 1 unnoticed: a call there fails at once.
  refusing = { HTTPS_PROXY: "http://127.0.0.1:1" };
});
afterAll(() => void silent.close());

test("the temporal program on PATH is taken first, then the cached one", async () => {
  const program = (await findTemporal({ env: process.env, say: () => {}, signal: new AbortController().signal })).path;
  const path = temporaryDirectory("path");
  const cache = temporaryDirectory("cache");
  const cached = join(cacheFolder({ XDG_CACHE_HOME: cache }), "temporal");
  mkdirSync(dirname(cached), { recursive: true });
  for (const link of [join(path, "temporal"), cached]) symlinkSync(program, link);

  const onPath = await search({ PATH: path, XDG_CACHE_HOME: cache });
  expect(onPath).toMatchObject({ from: "PATH", path: join(path, "temporal") });
  expect(await version(onPath.path!)).toContain("temporal version");

  const inCache = await search({ PATH: "/nowhere", XDG_CACHE_HOME: cache });
  expect(inCache).toMatchObject({ from: "cache", path: cached });
  expect(await version(inCache.path!)).toContain("temporal version");
});

test("with no program, no download and no Go, the error names all four ways", async () => {
  const result = await search({ PATH: "/nowhere", XDG_CACHE_HOME: temporaryDirectory("cache"), ...refusing });
  for (const way of ["TEMPORAL_ADDRESS", "`temporal` program on PATH", "https://temporal.download/", "install Go"]) {
    expect(result.error).toContain(way);
  }
});

test("a download that does not connect is given up after 5 s", async () => {
  const result = await search({ PATH: "/nowhere", XDG_CACHE_HOME: temporaryDirectory("cache"), ...unanswering });
  expect(result.error).toContain("no answer within 5 s");
});

test.skipIf(!GO)(
  "without a download it is built with Go, showing its progress, and found in the cache from then on",
  async () => {
    const goCache = Bun.spawnSync([GO!, "env", "GOCACHE"]).stdout.toString().trim();
    const env = {
      PATH: `${dirname(GO!)}:/usr/bin:/bin`,
      XDG_CACHE_HOME: temporaryDirectory("cache"),
      GOCACHE: goCache,
    };
    const built = await search({ ...env, ...refusing });
    expect(built.error).toBeUndefined();
    expect(built.from).toBe("Go");
    expect(built.said.join("\n")).toMatch(/could not be downloaded \(.+\); building it with Go instead/);
    expect(built.said.join("\n")).toMatch(/building the Temporal server: \d+ packages/);
    expect(await version(built.path!)).toContain("temporal version 1.8.2");
    expect(await search({ ...env, ...refusing })).toMatchObject({ from: "cache", path: built.path! });
  },
  BUILD_PATIENCE,
);

interface SearchResult {
  path?: string;
  from?: string;
  error?: string;
  said: string[];
}

/** Searches in a process of its own, whose environment then holds for the download and for Go alike. */
async function search(env: Record<string, string>): Promise<SearchResult> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "search-for-temporal.ts")], {
    env: { HOME: process.env.HOME, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text()) as SearchResult;
}

async function version(program: string): Promise<string> {
  return new Response(Bun.spawn([program, "--version"], { stdout: "pipe" }).stdout).text();
}
