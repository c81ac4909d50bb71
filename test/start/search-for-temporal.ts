// Run by finding-temporal.test.ts: prints the search's result in this process's environment, as JSON.

import { findTemporal, type Releases } from "../../server/appliance/embedded/temporal-binary.ts";

const said: string[] = [];
const search = {
  env: process.env,
  say: (line: string) => said.push(line),
  signal: new AbortController().signal,
  // Replaces the pinned releases.
  releases: process.env.RELEASES ? (JSON.parse(process.env.RELEASES) as Releases) : undefined,
};
const found = await findTemporal(search).catch((error: Error) => ({ error: error.message }));
console.log(JSON.stringify({ ...found, said }));
