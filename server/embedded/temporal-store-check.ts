// A process of its own: prints what is wrong with Temporal's store, or nothing.

import { Database, SQLiteError } from "bun:sqlite";

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

try {
  const store = new Database(process.argv[2]!, { readonly: true });
  const { quick_check: verdict } = store.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()!;
  // Temporal makes its tables only where there is no file.
  const hasTables = store.query("select 1 from sqlite_schema where name = 'namespaces'").get() !== null;
  if (verdict !== "ok") console.log(verdict.replace(/\s+/g, " "));
  else if (!hasTables) console.log("it has no tables");
} catch (error) {
  // What is not damage, such as a disk that cannot be read, is Temporal's to complain of.
  if (!(error instanceof SQLiteError && DAMAGE.test(error.code ?? ""))) throw error;
  console.log(error.message);
}
