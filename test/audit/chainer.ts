// A process that chains the audit log of a database: CHAIN_DATABASE_URL.

import { connect } from "../../server/platform/db/sql.ts";
import { chainEntries } from "../../server/records/audit/chain.ts";

const sql = connect(process.env.CHAIN_DATABASE_URL!, "gatehouse chainer", 1);
console.log(JSON.stringify({ msg: "chaining" }));
const count = await chainEntries(sql, new Date());
await sql.end();
console.log(JSON.stringify({ msg: "chained", count }));
