// Mails during the kills: each invitation that was answered 200 reaches its reader as one mail, or has a final state.

import type { MailServer } from "../support/mail-server.ts";
import type { Api } from "../world/api.ts";
import { type Mail, mailsTo, newAddress } from "../world/mailbox.ts";
import type { Random } from "./random.ts";

/** The ledger's part about mails. */
export interface MailLedger {
  /** Invitations answered 200, each with one mail. */
  owed: number;
  states: Record<string, number>;
  /** Mails that the server took, and the number of repeated ones, which a reader sees once. */
  taken: number;
  takenAgain: number;
  /** Mails that the server took and then cut the connection before its answer. */
  cut: number;
  lost: string[];
  late: string[];
}

const ANSWER_LIMIT_MS = 10_000;
/** Beginnings of addresses, by which the server takes a mail, refuses it, or cuts the connection before its answer. */
const KINDS = ["person", "person", "cut", "cut", "later", "bounce"];
const OPEN = ["Waiting", "Held"];
const PAGE = 200;

/** Invites people at this rate. @returns the addresses that were answered 200 */
export async function sendInvitations(
  apis: Api[],
  rate: number,
  until: Promise<unknown>,
  random: Random,
): Promise<Set<string>> {
  const committed = new Set<string>();
  const answers: Promise<void>[] = [];
  let over = false;
  const end = () => {
    over = true;
  };
  until.then(end, end);
  for (let number = 0; !over; number++) {
    await Bun.sleep(1_000 / rate);
    const address = newAddress(KINDS[Math.floor(random() * KINDS.length)]);
    answers.push(
      invite(apis[number % apis.length]!, address).then((isCommitted) => {
        if (isCommitted) committed.add(address);
      }),
    );
  }
  await Promise.all(answers);
  return committed;
}

async function invite(api: Api, Email: string): Promise<boolean> {
  const response = await fetch(`${api.url}/Endpoint/rest/api/v1/Invitation`, {
    method: "POST",
    headers: { authorization: api.authorization, "content-type": "application/json" },
    body: JSON.stringify({ Email }),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  }).catch(() => undefined);
  // Read to its end, because a killed API may have sent the status only.
  return (
    response?.status === 200 &&
    (await response.json().then(
      () => true,
      () => false,
    ))
  );
}

interface LoggedMail {
  Id: string;
  To: string;
  State: string;
  Reason: string | null;
  MessageId: string | null;
}

async function listMails(api: Api): Promise<LoggedMail[]> {
  const mails: LoggedMail[] = [];
  let cursor: string | null = "";
  do {
    const from = cursor && `&Cursor=${cursor}`;
    const { body } = await api.get(`/Mail?Limit=${PAGE}${from}`);
    const page = body as { Items: LoggedMail[]; Next: string | null };
    mails.push(...page.Items);
    cursor = page.Next;
  } while (cursor);
  return mails;
}

/** Waits until no mail is open, and compares the log with what arrived. @param patienceMs without a finished mail */
export async function settleMails(
  accounts: { api: Api; invited: Set<string> }[],
  { url }: MailServer,
  patienceMs: number,
): Promise<MailLedger> {
  await waitWhileTheyGoOut(accounts, patienceMs);
  const ledger: MailLedger = { owed: 0, states: {}, taken: 0, takenAgain: 0, cut: 0, lost: [], late: [] };
  for (const { api, invited } of accounts) {
    const mails = Map.groupBy(await listMails(api), ({ To }) => To);
    for (const address of invited) addMail(ledger, address, mails.get(address) ?? [], await mailsTo(address, url));
  }
  return ledger;
}

function addMail(ledger: MailLedger, address: string, logged: LoggedMail[], arrived: Mail[]): void {
  const [mail] = logged;
  const ids = new Set(arrived.map(({ messageId }) => messageId));
  ledger.owed++;
  ledger.taken += arrived.length;
  ledger.takenAgain += arrived.length - ids.size;
  if (address.startsWith("cut") && arrived.length > 0) ledger.cut++;
  const lose = (problem: string) => ledger.lost.push(`mail to ${address}: ${problem}`);
  if (!mail || logged.length > 1) return void lose(`${logged.length} mails in the log`);
  ledger.states[mail.State] = (ledger.states[mail.State] ?? 0) + 1;
  if (OPEN.includes(mail.State)) ledger.late.push(`mail ${mail.Id}: ${mail.State}, ${mail.Reason}`);
  if (ids.size > 1) lose(`${ids.size} Message-IDs, so its reader sees several`);
  if (arrived.length > 0 && !ids.has(mail.MessageId!)) lose("another Message-ID than in the log");
  if (mail.State === "Sent" && arrived.length === 0) lose("Sent, but it never arrived");
  const isRefused = address.startsWith("bounce");
  if (mail.State === "Bounced" && !isRefused) lose("Bounced, but the server did not refuse it");
}

async function waitWhileTheyGoOut(accounts: { api: Api }[], patienceMs: number): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY;
  let since = performance.now();
  while (fewest > 0 && performance.now() - since < patienceMs) {
    const lists = await Promise.all(accounts.map(({ api }) => listMails(api)));
    const open = lists.flat().filter(({ State }) => OPEN.includes(State)).length;
    if (open < fewest) since = performance.now();
    fewest = Math.min(fewest, open);
    if (open > 0) await Bun.sleep(1_000);
  }
}

/** The report as lines. */
export function describeMails({ owed, states, taken, takenAgain, cut, lost, late }: MailLedger): string[] {
  const each = Object.entries(states).map(([state, count]) => `${state} ${count}`);
  return [
    `mails owed       ${owed}: ${each.join(", ")}`,
    `mails taken      ${taken}, of which ${takenAgain} again with the same Message-ID; ${cut} cut before the answer`,
    `mails lost       ${lost.length}`,
    ...lost.slice(0, 20).map((line) => `  ${line}`),
    `mails late       ${late.length}, still open`,
    ...late.slice(0, 20).map((line) => `  ${line}`),
  ];
}
