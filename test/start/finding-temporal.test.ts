import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { cacheFolder, findTemporal, releasesOf } from "../../server/appliance/embedded/temporal-binary.ts";
import { certificate } from "../support/certificate.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { setting } from "../world/tenant.ts";

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
  // Port 1 has no listener, so a call there fails at once.
  refusing = { HTTPS_PROXY: "http://127.0.0.1:1" };
});
afterAll(() => void silent.close());

test("the temporal program on PATH is used first, then the cached one", async () => {
  const program = (await findTemporal({ env: process.env, say: () => {}, signal: new AbortController().signal })).path;
  const path = temporaryDirectory("path");
  const cache = temporaryDirectory("cache");
  const cached = join(cacheFolder({ XDG_CACHE_HOME: cache }), "temporal");
  mkdirSync(dirname(cached), { recursive: true });
  for (const link of [join(path, "temporal"), cached]) symlinkSync(program, link);

  const onPath = await search({ PATH: path, XDG_CACHE_HOME: cache });
  expect(onPath).toMatchObject({ from: "on the PATH", path: join(path, "temporal") });
  expect(await version(onPath.path!)).toContain("temporal version");

  const inCache = await search({ PATH: "/nowhere", XDG_CACHE_HOME: cache });
  expect(inCache).toMatchObject({ from: "from the cache", path: cached });
  expect(await version(inCache.path!)).toContain("temporal version");
});

test("without program, download and Go, the error names all four options", async () => {
  const result = await search({ PATH: "/nowhere", XDG_CACHE_HOME: temporaryDirectory("cache"), ...refusing });
  for (const way of [
    "TEMPORAL_ADDRESS",
    "`temporal` program on PATH",
    "https://github.com/temporalio/cli/releases",
    "install Go",
  ]) {
    expect(result.error).toContain(way);
  }
});

test("a download that does not connect is aborted after 5 s", async () => {
  const result = await search({ PATH: "/nowhere", XDG_CACHE_HOME: temporaryDirectory("cache"), ...unanswering });
  expect(result.error).toContain("no answer within 5 s");
});

describe("a download", () => {
  const platform = `${process.platform}-${process.arch}`;
  const name = "/temporal_cli_linux.tar.gz";

  /** Downloads from the test's own server. */
  async function downloaded(archive: Uint8Array | Response, sha256: string) {
    await using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: certificate,
      fetch: () => (archive instanceof Response ? archive : new Response(new Blob([archive as BlobPart]))),
    });
    const cache = temporaryDirectory("cache");
    const url = `https://localhost:${server.port}${name}`;
    const result = await search({
      PATH: "/nowhere",
      XDG_CACHE_HOME: cache,
      NODE_EXTRA_CA_CERTS: authority,
      RELEASES: JSON.stringify({ [platform]: { url, sha256 } }),
    });
    return { url, result, kept: readdirSync(cacheFolder({ XDG_CACHE_HOME: cache })) };
  }

  test("is run if it is the pinned release", async () => {
    const archive = await archiveOf("#!/bin/sh\necho temporal version of the release\n");
    const { result, kept } = await downloaded(archive, sha256Of(archive));
    expect(result).toMatchObject({ from: "downloaded" });
    expect(await version(result.path!)).toBe("temporal version of the release\n");
    expect(kept).toEqual(["temporal"]);
  });

  test("is not unpacked if one byte differs, and the next option is tried", async () => {
    const archive = await archiveOf("#!/bin/sh\necho temporal version of the release\n");
    const tampered = await archiveOf("#!/bin/sh\necho temporal version of the thief\n");
    const longer = new Uint8Array([...archive, 0]);
    const cut = archive.slice(0, -1);
    for (const other of [tampered, longer, cut, new Uint8Array()]) {
      const { result, kept, url } = await downloaded(other, sha256Of(archive));
      expect(result.path).toBeUndefined();
      expect(result.error).toContain(
        `the download from ${url} is not the release: its SHA-256 is ${sha256Of(other)}, not ${sha256Of(archive)}`,
      );
      expect(result.said.join("\n")).toContain("building it with Go instead");
      expect(kept).toEqual([]);
    }
  });

  test("fails with a message if the server has none, or the platform has no checksum", async () => {
    const missing = await downloaded(new Response("none", { status: 404 }), "0".repeat(64));
    expect(missing.result.error).toContain(`${missing.url} answered 404`);
    const env = { PATH: "/nowhere", XDG_CACHE_HOME: temporaryDirectory("cache"), RELEASES: "{}" };
    expect((await search(env)).error).toContain(`there is no release for ${platform} with a known SHA-256`);
  });

  test("is pinned for every platform of the embedded PostgreSQL except Windows", () => {
    const releases = releasesOf("1.8.2");
    expect(Object.keys(releases).sort()).toEqual(["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"]);
    const sums = Object.values(releases).map(({ sha256 }) => sha256);
    expect(new Set(sums).size).toBe(4);
    for (const sum of sums) expect(sum).toMatch(/^[0-9a-f]{64}$/);
    // A different version has different checksums.
    expect(readFileSync(join(import.meta.dir, "../../temporal-cli/go.mod"), "utf8")).toContain(
      "github.com/temporalio/cli v1.8.2",
    );
  });
});

const authority = join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver", "ca.pem");
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const archiveOf = (program: string) =>
  new Bun.Archive({ temporal: program, LICENSE: "MIT" }, { compress: "gzip" }).bytes();

test.skipIf(!GO)(
  "without a download it is built with Go, with progress, and cached",
  async () => {
    const goCache = Bun.spawnSync([GO!, "env", "GOCACHE"]).stdout.toString().trim();
    const env = {
      PATH: `${dirname(GO!)}:/usr/bin:/bin`,
      XDG_CACHE_HOME: temporaryDirectory("cache"),
      GOCACHE: goCache,
    };
    const built = await search({ ...env, ...refusing });
    expect(built.error).toBeUndefined();
    expect(built.from).toBe("built with Go");
    expect(built.said.join("\n")).toMatch(/could not be downloaded \(.+\); building it with Go instead/);
    expect(built.said[0]).toMatch(/^waiting for the Temporal server, once: .+, kept in .+temporal$/);
    expect(built.said.join("\n")).toMatch(/this takes about \d+ minutes? with the \d+ cores .+ kept in .+temporal\n/);
    expect(built.said.join("\n")).toMatch(/building the Temporal server: \d+ packages/);
    expect(await version(built.path!)).toContain("temporal version 1.8.2");
    expect(await search({ ...env, ...refusing })).toMatchObject({ from: "from the cache", path: built.path! });
  },
  BUILD_PATIENCE,
);

interface SearchResult {
  path?: string;
  from?: string;
  error?: string;
  said: string[];
}

/** Searches in a separate process, whose environment applies to the download and to Go. */
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
