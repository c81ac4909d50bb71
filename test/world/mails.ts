// Mails of features, written as these write them.

import type { NewMail } from "../../server/identity/mail/kinds.ts";
import { createMailer } from "../../server/identity/mail/mailer.ts";
import type { Sql } from "../../server/platform/db/sql.ts";
import { createLog } from "../../server/platform/log.ts";
import { createVault } from "../../server/platform/vault.ts";
import { db, setting } from "./tenant.ts";

const SMTP = { host: "unused", port: 1, tls: "none", login: undefined, caFile: undefined } as const;

/** Writes mails in one transaction. @returns their Ids */
export async function recordMails(
  mails: NewMail[],
  sql: Sql = db(),
  masterKey = setting("GATEHOUSE_TEST_MASTER_KEY"),
): Promise<string[]> {
  const config = { smtp: SMTP, from: "unused@mail.test", rate: 1, isKept: false };
  const { recordMail } = createMailer(createVault(masterKey), config, createLog("silent", "test"));
  return sql.beginFor(mails[0]!.tenantId, async (tx) => {
    const ids: string[] = [];
    for (const mail of mails) ids.push((await recordMail(tx, mail))!);
    return ids;
  });
}
