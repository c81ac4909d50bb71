// Mails for administrators: to read, to send again, to preview, and to test.

import type { MailConfig } from "../../platform/config/mail.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { Conflict, NotFound, TooManyRequests } from "../../platform/errors.ts";
import { isUuid } from "../../platform/http/query.ts";
import type { MailId } from "../../platform/ids.ts";
import type { Vault } from "../../platform/vault.ts";
import { createLog, type Log, type Permitted, recordAudit, type Shown } from "../../records/index.ts";
import type { sites, texts } from "../../ui/index.ts";
import { MAIL, MAIL_FILTERS, type MailRecord } from "./contract.ts";
import { MAIL_KINDS, type MailKind } from "./kinds.ts";
import { countTestMails, findMailContent, findSender, type LoggedMail, MAILS, resendMail } from "./log.store.ts";
import type { Mailer } from "./mailer.ts";
import { MAIL_PURPOSE } from "./mails.store.ts";
import {
  drawnContent,
  type MailContent,
  messageOf,
  type RenderedMail,
  renderContent,
  type Sender,
} from "./message.tsx";
import { mailWorkflowId } from "./starter.ts";

const TYPE = MAIL.name;
const MAX_TEST_MAILS = 20;
const TEST_PAUSE_SECONDS = 600;

type Reader = Permitted<"Settings:Read">;
type Changer = Permitted<"Settings:Update">;

export interface Mails extends Log<"Settings:Read", MailRecord, typeof MAIL_FILTERS> {
  /** Sends a mail again that was not sent. @throws NotFound, Permission, Conflict */
  resend(caller: Changer, id: string): Promise<Shown<MailRecord>>;
  /** @throws Permission, Conflict without SMTP_URL, TooManyRequests */
  sendTest(caller: Changer, to: string): Promise<Shown<MailRecord>>;
  /** A mail of this kind with example values; `source` has all its bytes. */
  preview(caller: Reader, kind: MailKind): Promise<RenderedMail & { source: Buffer }>;
  /** Every kind in both schemes with example values, in a face that need not be saved. */
  draw(sender: Sender, language: texts.LanguageCode): DrawnMail[];
  /** Under `start` without SMTP_URL: the content with its link, of a mail that the caller may read. */
  contentOf(caller: Reader, mail: Pick<MailRecord, "Id" | "Kind">): Promise<RenderedMail | undefined>;
  settings: Pick<MailConfig, "from" | "isKept"> & { host: string | undefined };
}

export interface DrawnMail extends Pick<RenderedMail, "subject" | "html"> {
  kind: MailKind;
  scheme: sites.colours.Scheme;
}

export interface MailsDependencies {
  sql: Sql;
  vault: Vault;
  mailer: Mailer;
  config: MailConfig;
  publicUrl: string;
  workflowUrl(workflowId: string): string;
}

export function createMails({ sql, vault, mailer, config, publicUrl, workflowUrl }: MailsDependencies): Mails {
  const { open } = vault.sealFor(MAIL_PURPOSE);
  const log = createLog(sql, MAIL, MAILS, MAIL_FILTERS, toRecord);

  function toRecord(mail: LoggedMail): MailRecord {
    const WorkflowId = mailWorkflowId(mail);
    return MAIL.toRecord(mail, { WorkflowId, WorkflowUrl: workflowUrl(WorkflowId) });
  }

  return {
    ...log,
    async resend(caller, id) {
      const { tenantId, permissions, gate } = caller;
      const mail = await sql.beginFor(tenantId, async (tx) => {
        const before = isUuid<MailId>(id) ? await MAILS.find(tx, tenantId, id) : undefined;
        if (!before) throw new NotFound("There is no Mail with this Id.");
        permissions.require("Settings:Update", TYPE, toRecord(before));
        if (!(await resendMail(tx, tenantId, before.id)))
          throw new Conflict(
            "The mail is Waiting, was sent, or its link has expired. A sent mail has no content any more, so it needs a new one.",
          );
        const { userId } = before;
        const subject = userId ? { subject: { type: "User", id: userId } as const } : {};
        await recordAudit(tx, tenantId, caller, { kind: "Mail.Resent", ...subject, details: { MailId: id } });
        return (await MAILS.find(tx, tenantId, before.id))!;
      });
      return (await gate.written(TYPE, toRecord(mail), {})).record;
    },

    async sendTest(caller, to) {
      const { tenantId, permissions, gate } = caller;
      mailer.requireMail();
      const mail = await sql.beginFor(tenantId, async (tx) => {
        if ((await countTestMails(tx, tenantId)) >= MAX_TEST_MAILS)
          throw new TooManyRequests(`At most ${MAX_TEST_MAILS} test mails can be sent in an hour.`, TEST_PAUSE_SECONDS);
        const values = { name: "" };
        const id = await mailer.recordMail(tx, { tenantId, kind: "Test", to, userId: null, values });
        const mail = (await MAILS.find(tx, tenantId, id!))!;
        permissions.require("Settings:Update", TYPE, toRecord(mail));
        await recordAudit(tx, tenantId, caller, { kind: "Mail.Tested", details: { MailId: mail.id } });
        return mail;
      });
      return (await gate.written(TYPE, toRecord(mail), {})).record;
    },

    async preview({ tenantId }, kind) {
      const [values, sender] = [exampleOf(publicUrl, "en"), await findSender(sql, tenantId)];
      const envelope = {
        ...{ messageId: "<preview@example.com>", createdOn: new Date() },
        ...{ from: config.from || "noreply@example.com", to: "ana@example.com" },
      };
      const source = await messageOf(kind, values, sender, envelope);
      return { ...renderContent(kind, values, sender), source };
    },

    draw: (sender, language) =>
      MAIL_KINDS.flatMap((kind) =>
        (["light", "dark"] as const).map((scheme) => {
          const values = exampleOf(publicUrl, language);
          return { kind, scheme, ...drawnContent(kind, values, sender, scheme) };
        }),
      ),

    async contentOf({ tenantId }, { Id, Kind }) {
      const content = config.isKept ? await findMailContent(sql, tenantId, Id) : null;
      if (!content) return undefined;
      return renderContent(Kind, JSON.parse(open(content)), await findSender(sql, tenantId));
    },

    settings: { from: config.from, isKept: config.isKept, host: config.smtp?.host },
  };
}

function exampleOf(publicUrl: string, language: texts.LanguageCode): MailContent {
  return {
    language,
    name: "Ana Silva",
    link: `${publicUrl}/example`,
    expiresOn: new Date(Date.now() + 86_400_000),
    invitedBy: "Rui Costa",
    device: "Firefox on Linux",
    address: "192.0.2.1",
    at: new Date(),
    credential: "password",
    lines: ["ConnectionHeld: 410 Gone"],
    count: 1,
  };
}
