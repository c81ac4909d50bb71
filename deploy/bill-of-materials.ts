// The installed packages and their licences in CycloneDX 1.6, for the image and for a release.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import lock from "../bun.lock";

interface Package {
  name: string;
  version: string;
  license?: string;
  /** As packages wrote it before SPDX. */
  licenses?: { type: string }[];
}

/** Licences that package.json omits or misspells, by package. */
const LICENCES: Record<string, string> = { "htmx.org": "0BSD", unionfs: "Unlicense" };

/** @param root a folder with package.json and the installed packages @returns the document as text */
export async function billOfMaterials(root: string): Promise<string> {
  const own: Package = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const bun = { type: "platform", name: "bun", version: Bun.version, licenses: [{ expression: "MIT" }] };
  const digests = new Map(Object.values(lock.packages).map(([id, ...rest]) => [id, rest.at(-1)]));
  const packages = (await installedPackages(root)).map((each) => ({
    type: "library",
    "bom-ref": idOf(each),
    name: each.name,
    version: each.version,
    licenses: licencesOf(each),
    purl: `pkg:npm/${idOf(each).replace(/^@/, "%40")}`,
    hashes: hashesOf(digests.get(idOf(each))),
  }));
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", name: own.name, version: own.version, licenses: licencesOf(own) },
    },
    components: [bun, ...packages],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Each version once, also those inside of other packages. */
async function installedPackages(root: string): Promise<Package[]> {
  const found = new Map<string, Package>();
  for await (const path of new Bun.Glob("node_modules/**/package.json").scan({ cwd: root })) {
    // A package may have more of these files, such as one for its ES modules.
    if (!/node_modules\/(@[^/]+\/)?[^/@]+$/.test(dirname(path))) continue;
    const described: Package = await Bun.file(join(root, path)).json();
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
