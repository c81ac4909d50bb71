// `bun run docs`: writes the parts of the documents that are made from the code.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { GENERATED, withGenerated } from "./generated.ts";
import { ROOT, readPage } from "./pages.ts";

for (const path of Object.keys(GENERATED)) writeFileSync(join(ROOT, path), withGenerated(path, readPage(path)));
