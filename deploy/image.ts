// A step of deploy/Dockerfile: makes the workflow bundle that the worker starts with, and sbom.cdx.json, which lists the
// installed packages and their licences.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DefaultLogger } from "@temporalio/worker";
import { bundleWorkflows } from "../activities/workflow-bundle.ts";
import { PROJECT_ROOT } from "../server/platform/config/config.ts";
import { billOfMaterials } from "./bill-of-materials.ts";

await bundleWorkflows(new DefaultLogger("WARN"));
writeFileSync(join(PROJECT_ROOT, "sbom.cdx.json"), await billOfMaterials(PROJECT_ROOT));
