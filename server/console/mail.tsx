// Mails: their list, one with its attempts, previews of each kind, and a test.

import { MAIL_STATES } from "../../workflows/contract.ts";
import { mail } from "../identity/index.ts";
import { NotFound } from "../platform/errors.ts";
import { exportResponse } from "../platform/http/export.ts";
import { firstPage } from "../platform/http/query.ts";
import {
  ActionButton,
  Badge,
  ButtonLink,
  Code,
  type Column,
  FormPanel,
  type FormState,
  formOf,
  Link,
  ListSection,
  Live,
  refusedForm,
  Section,
  Text,
  TextField,
  Time,
} from "../ui/index.ts";
import { Words } from "./failure-words.tsx";
import { type ConsolePage, type ConsoleServices, handlersOf, type View, type Visit } from "./page.tsx";
import { logPage } from "./records/log-page.tsx";
import { optionsOf, Value } from "./records/records.tsx";
import { hrefOfWorkflow } from "./workflow.tsx";

const { MAIL, MAIL_KINDS, TEST_MAIL } = mail;
type MailKind = mail.MailKind;
type MailRecord = mail.MailRecord;

export const MAILS = "/settings/mail";
const READ = ["Settings:Read"] as const;
const CHANGE = ["Settings:Read", "Settings:Update"] as const;
const REFRESH_SECONDS = 2;
const ABOVE = [{ name: "Mail", path: MAILS }];

export const KINDS: Record<MailKind, string> = {
  VerifyAddress: "Confirm an address",
  ForgottenPassword: "Forgotten password",
  Invitation: "Invitation",
  SignUp: "Sign-up",
  AccountExists: "Sign-up with an account",
  AccountReady: "Account approved",
  NewDevice: "Sign-in on a new device",
  CredentialChanged: "Password or second factor changed",
  Alert: "Alert",
  Test: "Test",
};
const TONES = { Waiting: "busy", Held: "warn", Sent: "good", Failed: "bad", Bounced: "bad" } as const;

export function mailPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  return [
    { path: MAILS, area: "Mail", GET: on(READ, listPage) },
    {
      path: `${MAILS}/test`,
      GET: { needs: CHANGE, answer: async (visit) => testPage(visit) },
      POST: on(CHANGE, sendTest),
    },
    { path: `${MAILS}/preview`, GET: on(READ, previewPage) },
    { path: `${MAILS}/preview.eml`, GET: on(READ, previewFile) },
    { path: `${MAILS}/:id`, shows: MAIL.name, GET: on(READ, mailPage) },
    { path: `${MAILS}/:id/resend`, POST: on(CHANGE, resend) },
  ];
}

const FILTERS = [
  { name: "To", label: "Address" },
  { name: "Kind", label: "Kind", options: optionsOf(MAIL_KINDS, KINDS) },
  { name: "State", label: "State", options: optionsOf(MAIL_STATES) },
  { name: "UserId", label: "User's Id" },
];

async function listPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { mails } = deps;
  const mayTest = visit.may("Settings:Update") && isOn(deps);
  const kept = "Mails are listed for 30 days, without their content.";
  return logPage(visit, {
    title: "Mail",
    actions: (
      <>
        <ButtonLink href={visit.href(`${MAILS}/preview`)} label="Preview" />
        {mayTest && <ButtonLink href={visit.href(`${MAILS}/test`)} label="Send a test mail" />}
      </>
    ),
    top: await Server({ deps, visit }),
    caption: "Mails, newest first",
    known: mails.filters,
    filters: FILTERS,
    live: { id: "mails", seconds: 5 },
    read: ({ filters, paging }) => mails.list(visit.permitted(...READ), filters, paging),
    parts: () => ({ columns: columns(visit) }),
    empty: { none: ["No mails yet", kept], noMatch: ["No matching mails", kept] },
  });
}

/** The last mail to an address, if the mail server has refused the address. */
export async function lastBounce({ mails }: ConsoleServices, visit: Visit, To: string) {
  const [last] = To ? (await mails.list(visit.permitted(...READ), { To }, firstPage(1))).Items : [];
  return last?.State === "Bounced" ? last : undefined;
}

const isOn = ({ mails: { settings } }: ConsoleServices) => settings.isKept || settings.host !== undefined;

/** The state of the mail server, in a sentence. */
async function Server({ deps: { mails }, visit }: { deps: ConsoleServices; visit: Visit }): Promise<JSX.Element> {
  const { host, from, isKept } = mails.settings;
  if (isKept) {
    return (
      <p class="warning">
        This installation has no mail server, so mails stay here, and their pages show their links. To send them, set{" "}
        <Code text="SMTP_URL" /> and <Code text="MAIL_FROM" />.
      </p>
    );
  }
  if (!host) {
    return (
      <p class="warning">
        This installation sends no mail. Its operator must set <Code text="SMTP_URL" /> and <Code text="MAIL_FROM" />{" "}
        first.
      </p>
    );
  }
  const [held] = (await mails.list(visit.permitted(...READ), { State: "Held" }, firstPage(1))).Items;
  if (held) {
    return (
      <p class="warning" role="alert">
        The mail server is down. Mails are held, and sent when it is up again. <Words text={held.Reason ?? ""} />
      </p>
    );
  }
  return <p class="fine" safe>{`Mails are sent from ${from} by ${host}.`}</p>;
}

const columns = (visit: Visit): Column<MailRecord>[] => [
  { name: "Mail", cell: ({ Id, Kind }) => <Link href={visit.href(`${MAILS}/${Id}`)} text={KINDS[Kind]} /> },
  { name: "To", cell: ({ To }) => <Text text={To} /> },
  { name: "State", cell: ({ State }) => <Badge state={State} tone={TONES[State]} /> },
  { name: "Reason", cell: ({ Reason }) => <Words text={Reason ?? ""} /> },
  { name: "Written", cell: ({ CreatedOn }) => <Time at={CreatedOn} ago /> },
];

function testPage(visit: Visit, refused?: FormState): View {
  const state = refused ?? formOf({});
  return {
    title: "Send a test mail",
    above: ABOVE,
    status: refused ? 422 : 200,
    body: (
      <FormPanel visit={visit} state={state} action={`${MAILS}/test`} back={MAILS} label="Send">
        <TextField state={state} name="To" label="Address" type="email" />
      </FormPanel>
    ),
  };
}

async function sendTest(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  try {
    const { To = "" } = TEST_MAIL.parse({ To: visit.form.get("To") ?? "" });
    const { Id } = await deps.mails.sendTest(visit.permitted(...CHANGE), To);
    return visit.goTo(`${MAILS}/${Id}`, "The mail is being sent.");
  } catch (error) {
    return testPage(visit, refusedForm(visit.form, error, ["To"], { To: "Address" }));
  }
}

async function mailPage({ mails }: ConsoleServices, visit: Visit): Promise<View> {
  const one = await mails.read(visit.permitted(...READ), visit.params.id!);
  const { Id, Kind, To, UserId, State, Reason, MessageId, CreatedOn, EndedOn, ExpiresOn, Attempts } = one;
  const isFinal = State !== "Waiting" || mails.settings.isKept;
  const content = await mails.contentOf(visit.permitted(...READ), one);
  const mayResend =
    ["Failed", "Bounced", "Held"].includes(State) && visit.may("Settings:Update", MAIL.name, { ...one });
  return {
    title: KINDS[Kind],
    above: ABOVE,
    body: (
      <>
        <Live visit={visit} id="mail" seconds={REFRESH_SECONDS} isFinal={isFinal}>
          <Section
            title="Delivery"
            facts={[
              ["To", <Text text={To} />],
              [
                "User",
                UserId ? (
                  <Link href={visit.href(`/settings/users/${UserId}`)} text={`User ${UserId}`} />
                ) : (
                  <Value text="" />
                ),
              ],
              ["State", <Badge state={State} tone={TONES[State]} />],
              Reason && ["Reason", <Words text={Reason} />],
              ["Written", <Time at={CreatedOn} />],
              ["Ended", <Time at={EndedOn} none="not yet" />],
              ["Link expires", <Time at={ExpiresOn} none="no link" />],
              ["Message-ID", MessageId ? <Code text={MessageId} copy /> : <span class="none">none yet</span>],
              ["Temporal", <a href={hrefOfWorkflow(visit, one)}>workflow</a>],
            ]}
          >
            {mayResend ? <ActionButton visit={visit} action={`${MAILS}/${Id}/resend`} label="Send again" /> : ""}
          </Section>
          <ListSection title="Attempts" columns={ATTEMPTS} rows={Attempts} />
        </Live>
        {!!content && (
          <Section title={content.subject}>
            <pre class="mail" safe>
              {content.text}
            </pre>
          </Section>
        )}
      </>
    ),
  };
}

type Attempt = MailRecord["Attempts"][number];
const ATTEMPTS: Column<Attempt>[] = [
  { name: "No.", cell: (attempt) => <span safe>{String(attempt.Number)}</span> },
  { name: "Started", cell: ({ StartedOn }) => <Time at={StartedOn} /> },
  {
    name: "ms",
    numeric: true,
    cell: ({ DurationMs }) => <span safe>{DurationMs === null ? "" : DurationMs.toLocaleString("en")}</span>,
  },
  {
    name: "Result",
    cell: ({ Failure, DurationMs }) => <Words text={Failure ?? (DurationMs === null ? "in progress" : "sent")} />,
  },
  { name: "Last line of the mail server", cell: ({ Response }) => <Text text={Response ?? ""} /> },
];

async function resend({ mails }: ConsoleServices, visit: Visit): Promise<Response> {
  const { Id } = await mails.resend(visit.permitted(...CHANGE), visit.params.id!);
  return visit.goTo(`${MAILS}/${Id}`, "The mail is being sent again.");
}

async function previewPage({ mails }: ConsoleServices, visit: Visit): Promise<View> {
  const caller = visit.permitted(...READ);
  const all = await Promise.all(MAIL_KINDS.map(async (kind) => ({ kind, ...(await mails.preview(caller, kind)) })));
  return {
    title: "Preview of mails",
    above: ABOVE,
    lead: (
      <p class="fine">
        With example values. The <a href={visit.href("/settings/organisation")}>organisation</a> has the name in mails
        and the address for replies.
      </p>
    ),
    body: (
      <>
        {all.map(({ kind, subject, text }) => (
          <Section title={KINDS[kind]}>
            <p>
              <strong safe>{subject}</strong> ·{" "}
              <a href={visit.href(`${MAILS}/preview.eml?Kind=${kind}`)} download="">
                {" "}
                for a mail program{" "}
              </a>
            </p>
            <pre class="mail" safe>
              {text}
            </pre>
          </Section>
        ))}
      </>
    ),
  };
}

/** A file that mail programs open, so the preview is what they show. */
async function previewFile({ mails }: ConsoleServices, visit: Visit): Promise<Response> {
  const asked = visit.url.searchParams.get("Kind");
  const kind = asked === null ? MAIL_KINDS[0] : MAIL_KINDS.find((one) => one === asked);
  if (!kind) throw new NotFound("There is no such kind of mail.");
  const { source } = await mails.preview(visit.permitted(...READ), kind);
  return exportResponse({
    type: "message/rfc822",
    fileName: `${kind}.eml`,
    body: new Blob([new Uint8Array(source)]).stream(),
  });
}
