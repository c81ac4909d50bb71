// `bun run release` in a clone, whose checks are replaced: they are those that run here.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { temporaryDirectory } from "../support/directories.ts";
import { ROOT } from "../support/pages.ts";

const VERSION = "7.1.0";
const clone = join(temporaryDirectory("release"), "gatehouse");
/** The person who releases. */
const AUTHOR = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
let clean: string;

beforeAll(() => {
  git(ROOT, "clone", "--quiet", "--depth", "1", `file://${ROOT}`, clone);
  git(clone, "checkout", "--quiet", "-B", "main");
  for (const path of ["deploy", "package.json", "packages/client/package.json", "CHANGELOG.md", ".gitignore"]) {
    cpSync(join(ROOT, path), join(clone, path), { recursive: true });
  }
  setScripts({ check: "true", test: "true", "test:slow": "true" });
  edit(
    "CHANGELOG.md",
    (text) =>
      `## Unreleased\n\n- A stream of changes.\n- Costs $1 less.\n\n${text.replace("## Unreleased", "## 0.0.1 - 2020-01-31")}`,
  );
  commit("as it is");
  clean = git(clone, "rev-parse", "HEAD").trim();
});
beforeEach(() => {
  git(clone, "checkout", "--quiet", "-B", "main", clean);
  git(clone, "clean", "--quiet", "-fdx");
  for (const tag of git(clone, "tag").split("\n").filter(Boolean)) git(clone, "tag", "--delete", tag);
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

test("the version stands everywhere, the changelog has its section, and there are a commit, a tag and a list of packages", () => {
  const { code, output } = release(VERSION);
  expect([code, output]).toEqual([0, expect.stringContaining(`git push origin main v${VERSION}`)]);
  for (const path of ["package.json", "packages/client/package.json"]) {
    expect(JSON.parse(read(path)).version).toBe(VERSION);
  }
  expect(read("deploy/chart/Chart.yaml")).toMatch(/^version: 7\.1\.0\nappVersion: 7\.1\.0$/m);
  expect(read("deploy/Dockerfile")).toContain(`org.opencontainers.image.version="${VERSION}"`);
  const today = new Date().toISOString().slice(0, 10);
  expect(read("CHANGELOG.md")).toContain(
    `## Unreleased\n\n## ${VERSION} - ${today}\n\n- A stream of changes.\n- Costs $1 less.\n\n`,
  );
  expect(git(clone, "log", "-1", "--format=%s").trim()).toBe(`Release ${VERSION}`);
  expect(git(clone, "rev-parse", `v${VERSION}^{commit}`)).toBe(git(clone, "rev-parse", "HEAD"));
  expect(git(clone, "tag", "--list", "-n9", `v${VERSION}`)).toContain("A stream of changes.");
  expect(git(clone, "status", "--porcelain")).toBe("");

  const bill = JSON.parse(read(`dist/gatehouse-${VERSION}.cdx.json`));
  expect(bill.metadata.component).toMatchObject({ name: "gatehouse", version: VERSION });
  const names = bill.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(packageJson.dependencies)));
  expect(names).not.toContain("knip");

  // Nothing is new since.
  expect(release("7.2.0").output).toContain('CHANGELOG.md has nothing below "## Unreleased"');
});

test("--dry-run shows the plan and changes nothing", () => {
  const { code, output } = release(VERSION, "--dry-run");
  expect(code).toBe(0);
  expect(output).toContain(`package.json: ${packageJson.version} → ${VERSION}`);
  expect(output).toContain("CHANGELOG.md: 2 entries");
  unchanged();
});

describe("it is refused", () => {
  test.each(["seven", "7", "7.1", "v7.1.0", "7.1.0-", "7.1.0 ", "07.1.0", "7.1.0-01", "7.1.0+1", "$(id)"])(
    "for %p, which is no version",
    (text) => {
      refused(text, /is no version; it must be such as 0\.2\.0/);
    },
  );

  test("with changes without a commit, which are listed", () => {
    writeFileSync(join(clone, "notes.txt"), "later");
    refused(VERSION, /changes without a commit:\n\s+\?\? notes\.txt/);
  });

  test("on another branch", () => {
    git(clone, "checkout", "--quiet", "-b", "idea");
    refused(VERSION, /the branch is idea; it must be main/);
  });

  test("if the tag exists, or a newer version is released", () => {
    git(clone, "tag", `v${VERSION}`);
    refused(VERSION, /the tag v7\.1\.0 exists/);
    refused("7.0.9", /7\.1\.0, which is newer, is released/);
    refused("7.1.0-rc.1", /7\.1\.0, which is newer, is released/);
  });

  test("if only the changelog says so, as in a clone without tags", () => {
    refused("0.0.1", /CHANGELOG\.md has a section "## 0\.0\.1"/);
    refused("0.0.0", /0\.0\.1, which is newer, is released/);
  });

  test.each(["check", "test", "test:slow"])("if `bun run %s` fails", (script) => {
    setScripts({ [script]: "false" });
    commit("broken");
    refused(VERSION, new RegExp(`\`bun run ${script}\` fails`));
  });

  test("without a section of what is new, or a place of the version", () => {
    edit("CHANGELOG.md", (text) => text.replace("## Unreleased", "## Later"));
    edit("deploy/Dockerfile", (text) => text.replace(/^LABEL .*\n.*\n/m, ""));
    commit("broken");
    refused(VERSION, /CHANGELOG\.md has no section "## Unreleased"[\s\S]*deploy\/Dockerfile has no version/);
  });

  test("with every file as before, if the commit fails", () => {
    const hook = join(clone, ".git/hooks/pre-commit");
    writeFileSync(hook, "#!/bin/sh\necho no >&2\nexit 1\n", { mode: 0o755 });
    try {
      refused(VERSION, /7\.1\.0 was not released: .*no/);
    } finally {
      rmSync(hook);
    }
  });

  test.each([[[]], [["--help"]], [["7.1.0", "7.2.0"]]])("with the usage for %j", (args) => {
    expect(release(...args)).toEqual({ code: 2, output: expect.stringContaining("Usage: bun run release VERSION") });
  });
});

function refused(version: string, says: RegExp): void {
  const before = git(clone, "rev-parse", "HEAD");
  const { code, output } = release(version);
  expect([code, output]).toEqual([1, expect.stringMatching(says)]);
  expect(git(clone, "rev-parse", "HEAD")).toBe(before);
  expect(git(clone, "diff", "--stat")).toBe("");
}

function unchanged(): void {
  expect([git(clone, "rev-parse", "HEAD").trim(), git(clone, "status", "--porcelain"), git(clone, "tag")]).toEqual([
    clean,
    "",
    "",
  ]);
  expect(existsSync(join(clone, "dist"))).toBe(false);
}

function release(...args: string[]): { code: number; output: string } {
  const env = {
    ...process.env,
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.com",
  };
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, "run", "release", ...args], {
    cwd: clone,
    env,
  });
  return { code: exitCode, output: stdout.toString() + stderr.toString() };
}

function git(cwd: string, ...args: string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd });
  if (!success) throw new Error(stderr.toString());
  return stdout.toString();
}

function commit(message: string): void {
  git(clone, "add", "--all");
  git(clone, ...AUTHOR, "commit", "--quiet", "--no-verify", "--message", message);
}

const read = (path: string) => readFileSync(join(clone, path), "utf8");

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(join(clone, path), change(read(path)));
}

function setScripts(scripts: Record<string, string>): void {
  edit("package.json", (text) => {
    const all = JSON.parse(text);
    return `${JSON.stringify({ ...all, scripts: { ...all.scripts, ...scripts } }, null, 2)}\n`;
  });
}
