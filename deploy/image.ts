// A step of deploy/Dockerfile: makes the workflow bundle that the worker starts with, and sbom.cdx.json, which lists the
// installed packages and their licences in CycloneDX.

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DefaultLogger } from "@temporalio/worker";
import { bundleWorkflows } from "../activities/workflow-bundle.ts";
import lock from "../bun.lock";
import { PROJECT_ROOT } from "../server/config.ts";

interface Package {
  name: string;
  version: string;
  license?: string;
  /** As packages wrote it before SPDX. */
  licenses?: { type: string }[];
}

/** Licences that package.json omits or misspells, by package. */
const LICENCES: Record<string, string> = { "htmx.org": "0BSD", unionfs: "Unlicense" };

await bundleWorkflows(new DefaultLogger("WARN"));
writeFileSync(join(PROJECT_ROOT, "sbom.cdx.json"), `${JSON.stringify(await billOfMaterials(), null, 2)}\n`);

async function billOfMaterials() {
  const own: Package = await Bun.file(join(PROJECT_ROOT, "package.json")).json();
  const bun = { type: "platform", name: "bun", version: Bun.version, licenses: [{ expression: "MIT" }] };
  const digests = new Map(Object.values(lock.packages).map(([id, ...rest]) => [id, rest.at(-1)]));
  const packages = (await installedPackages()).map((each) => ({
    type: "library",
    "bom-ref": idOf(each),
    name: each.name,
    version: each.version,
    licenses: licencesOf(each),
    purl: `pkg:npm/${idOf(each).replace(/^@/, "%40")}`,
    hashes: hashesOf(digests.get(idOf(each))),
  }));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", name: own.name, version: own.version, licenses: licencesOf(own) },
    },
    components: [bun, ...packages],
  };
}

/** Each version once, also those inside of other packages. */
async function installedPackages(): Promise<Package[]> {
  const found = new Map<string, Package>();
  for await (const path of new Bun.Glob("node_modules/**/package.json").scan({ cwd: PROJECT_ROOT })) {
    // A package may have more of these files, such as one for its ES modules.
    if (!/node_modules\/(@[^/]+\/)?[^/@]+$/.test(dirname(path))) continue;
    const described: Package = await Bun.file(join(PROJECT_ROOT, path)).json();
    found.set(idOf(described), described);
  }
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

function idOf({ name, version }: Package): string {
  return `${name}@${version}`;
}

function licencesOf({ name, license, licenses }: Package) {
  const expression = LICENCES[name] ?? license ?? licenses?.map(({ type }) => type).join(" OR ");
  if (!expression) throw new Error(`The package ${name} names no licence.`);
  return [{ expression }];
}

/** @param digest as bun.lock has it: `sha512-` and base64 */
function hashesOf(digest: unknown) {
  const [, base64] = /^sha512-(.+)$/.exec(String(digest)) ?? [];
  return base64 ? [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }] : [];
}
