// `bun run docs`: writes the generated parts of the documents, and the types of packages/client.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENV_EXAMPLE, envExample } from "../support/environment.ts";
import { GENERATED, withGenerated } from "../support/generated.ts";
import { ROOT, readPage } from "../support/pages.ts";

for (const path of Object.keys(GENERATED)) writeFileSync(join(ROOT, path), withGenerated(path, readPage(path)));
writeFileSync(join(ROOT, ENV_EXAMPLE), envExample());
await import("../../packages/client/build.ts");
