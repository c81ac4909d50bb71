// Run by finding-temporal.test.ts: what the search finds in this process's environment, as JSON.

import { findTemporal } from "../../server/embedded/temporal-binary.ts";

const said: string[] = [];
const search = { env: process.env, say: (line: string) => said.push(line), signal: new AbortController().signal };
const found = await findTemporal(search).catch((error: Error) => ({ error: error.message }));
console.log(JSON.stringify({ ...found, said }));
