// The certificate of providers on loopback; Gatehouse trusts its authority.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setting } from "../world/tenant.ts";

const read = (name: string) => readFileSync(join(setting("GATEHOUSE_TEST_DATA_DIR"), "receiver", name), "utf8");

export const certificate = { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") };
