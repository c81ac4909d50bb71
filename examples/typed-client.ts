// `bun run examples/typed-client.ts`: calls the API with packages/client, as the demo tenant's client.

import { join } from "node:path";
import { createClient } from "../packages/client/index.ts";

const demo = await Bun.file(join(process.env.DATA_DIR || ".gatehouse", "demo.json")).json();
const gatehouse = createClient({ url: demo.publicUrl, ...demo.client });

const saved = await gatehouse.PATCH("/Application", { body: { Name: "Payroll", Description: "Pays people" } });
if (saved.error) throw new Error(saved.error.Errors.join(" "));
console.log(`Saved: ${JSON.stringify(saved.data)}`);

const { data } = await gatehouse.GET("/Application", { params: { query: { Search: "pay", Limit: 10 } } });
for (const { Id, Name } of data?.Items ?? []) console.log(`${Id}  ${Name}`);
