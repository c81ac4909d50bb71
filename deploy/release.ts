// `bun run release VERSION [--dry-run]`: sets the version everywhere, dates its section of CHANGELOG.md, makes the list of
// packages, commits and tags. It pushes nothing.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { billOfMaterials } from "./bill-of-materials.ts";

const ROOT = join(import.meta.dir, "..");
const USAGE = `Usage: bun run release VERSION [--dry-run]

VERSION is such as 0.2.0 or 0.2.0-rc.1. --dry-run shows the plan and the problems, and changes nothing.`;
/** Without build metadata, which tags of images cannot have. */
const NUMBER = String.raw`(?:0|[1-9]\d*)`;
const WORD = String.raw`(?:${NUMBER}|\d*[A-Za-z-][0-9A-Za-z-]*)`;
const SEMVER = new RegExp(String.raw`^${NUMBER}(?:\.${NUMBER}){2}(?:-${WORD}(?:\.${WORD})*)?$`);
const BRANCH = "main";
const UNRELEASED = "## Unreleased";
/** Run before anything is changed. */
const GREEN = ["check", "test", "test:slow"];
/** The places of the version in each file. OpenAPI, metrics and the list of packages read package.json. */
const PLACES: Record<string, RegExp> = {
  "package.json": /(?<=^ {2}"version": ")[^"]+(?=")/m,
  "packages/client/package.json": /(?<=^ {2}"version": ")[^"]+(?=")/m,
  "deploy/chart/Chart.yaml": /(?<=^(?:version|appVersion): )\S+$/gm,
  "deploy/Dockerfile": /(?<=org\.opencontainers\.image\.version=")[^"]+(?=")/,
};
const CHANGELOG = "CHANGELOG.md";
const OUT = "dist";

const given = process.argv.slice(2);
const isDry = given.includes("--dry-run");
const [version = "", ...rest] = given.filter((each) => each !== "--dry-run");
if (version.startsWith("-") || version === "" || rest.length > 0) {
  console.error(USAGE);
  process.exit(2);
}

const problems = problemsOf();
if (problems.length === 0 && !isDry) problems.push(...redSteps());
if (isDry) console.log(planText());
if (problems.length > 0) {
  console.error(`${version} cannot be released:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
  process.exit(1);
}
if (!isDry) await release();

function problemsOf(): string[] {
  if (!SEMVER.test(version)) return [`"${version}" is no version; it must be such as 0.2.0 or 0.2.0-rc.1`];
  const branch = git("branch", "--show-current").trim();
  const changed = git("status", "--porcelain").trim();
  const tags = git("tag", "--list", "v*").split("\n").filter(Boolean);
  // A clone may have no tags.
  const sections = [...text(CHANGELOG).matchAll(/^## (\d\S*)/gm)].map(([, released]) => released!);
  const newest = [...tags.map((tag) => tag.slice(1)), ...sections].sort(Bun.semver.order).at(-1);
  const section = unreleased();
  return [
    ...(branch === BRANCH ? [] : [`the branch is ${branch || "none"}; it must be ${BRANCH}`]),
    ...(changed === "" ? [] : [`there are changes without a commit:\n${changed.replace(/^/gm, "      ")}`]),
    ...(tags.includes(`v${version}`) ? [`the tag v${version} exists`] : []),
    ...(sections.includes(version) ? [`${CHANGELOG} has a section "## ${version}"`] : []),
    ...(newest !== undefined && Bun.semver.order(version, newest) < 0
      ? [`${newest}, which is newer, is released`]
      : []),
    ...(section === undefined ? [`${CHANGELOG} has no section "${UNRELEASED}"`] : []),
    ...(section === "" ? [`${CHANGELOG} has nothing below "${UNRELEASED}"`] : []),
    ...Object.entries(PLACES).flatMap(([path, place]) =>
      text(path).search(place) < 0 ? [`${path} has no version`] : [],
    ),
  ];
}

function redSteps(): string[] {
  for (const step of GREEN) {
    console.log(`bun run ${step}`);
    const { success } = Bun.spawnSync([process.execPath, "run", step], {
      cwd: ROOT,
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (!success) return [`\`bun run ${step}\` fails`];
  }
  return [];
}

async function release(): Promise<void> {
  const paths = [...Object.keys(PLACES), CHANGELOG];
  const sbom = `${OUT}/gatehouse-${version}.cdx.json`;
  try {
    for (const [path, place] of Object.entries(PLACES)) write(path, text(path).replace(place, version));
    const notes = unreleased()!;
    write(CHANGELOG, text(CHANGELOG).replace(UNRELEASED, `${UNRELEASED}\n\n${heading()}`));
    mkdirSync(join(ROOT, OUT), { recursive: true });
    write(sbom, await productionBill());
    git("commit", "--quiet", "--message", `Release ${version}`, "--", ...paths);
    git("tag", "--annotate", `v${version}`, "--cleanup", "verbatim", "--message", `${version}\n\n${notes}`);
  } catch (error) {
    git("checkout", "--quiet", "HEAD", "--", ...paths);
    console.error(`${version} was not released: ${(error as Error).message}`);
    process.exit(1);
  }
  console.log(`${version} is committed and tagged. The list of its packages is ${sbom}.`);
  console.log(`Publish it: git push origin ${BRANCH} v${version}`);
}

/** Of the packages for production, which are installed in a folder of their own. */
async function productionBill(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-release-"));
  try {
    for (const path of ["package.json", "bun.lock", "bunfig.toml", "patches"]) {
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    run([process.execPath, "install", "--frozen-lockfile", "--production", "--silent"], folder);
    return await billOfMaterials(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function planText(): string {
  const places = Object.entries(PLACES).map(
    ([path, place]) => `  ${path}: ${text(path).match(place)?.[0] ?? "no version"} → ${version}`,
  );
  const lines = (unreleased() ?? "").split("\n").filter((line) => line.startsWith("- ")).length;
  return [
    `Plan of ${version}:`,
    ...GREEN.map((step) => `  bun run ${step}`),
    ...places,
    `  ${CHANGELOG}: ${lines} entries below "${heading()}"`,
    `  ${OUT}/gatehouse-${version}.cdx.json: the packages for production`,
    `  a commit "Release ${version}" and the tag v${version}`,
  ].join("\n");
}

function heading(): string {
  return `## ${version} - ${new Date().toISOString().slice(0, 10)}`;
}

/** @returns undefined without the section */
function unreleased(): string | undefined {
  const [, section] = new RegExp(`^${UNRELEASED}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, "m").exec(text(CHANGELOG)) ?? [];
  return section?.trim();
}

function text(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function write(path: string, content: string): void {
  writeFileSync(join(ROOT, path), content);
}

function git(...args: string[]): string {
  return run(["git", ...args], ROOT);
}

/** @throws Error with its error output */
function run(command: string[], cwd: string): string {
  const { success, stdout, stderr } = Bun.spawnSync(command, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  if (!success) throw new Error(`\`${command.slice(0, 2).join(" ")}\`: ${stderr.toString().trim()}`);
  return stdout.toString();
}
