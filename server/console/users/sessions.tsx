import type { Page } from "../../http/query.ts";
import type { SessionRecord } from "../../signin/index.ts";
import { AskButton, ButtonLink, Pager, phrase, Section, Table, Text, Time, TOKENS_ELSEWHERE } from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import { pagingOf } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, type Person, pathOf, readPerson, titleOf, USERS } from "./person.tsx";

export interface SessionsProps {
  visit: Visit;
  person: Person;
  page: Page<SessionRecord>;
  mayChange: boolean;
}

export function SessionsSection({ visit, person, page: { Items, Next }, mayChange }: SessionsProps): JSX.Element {
  const path = pathOf(person);
  return (
    <Section title="Where signed in" id="sessions">
      {Items.length > 0 ? (
        <Table caption="Where signed in" columns={columns(visit, person, mayChange)} rows={Items} />
      ) : (
        <p class="fine">Nowhere.</p>
      )}
      <div class="buttons">
        {Next === null ? "" : <ButtonLink href={visit.href(`${path}/sessions`)}>All browsers</ButtonLink>}
        {mayChange ? <ButtonLink href={visit.href(`${path}/sessions/end`)}>End all sign-ins</ButtonLink> : ""}
      </div>
    </Section>
  );
}

export async function sessionsPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const person = await readPerson(deps, visit);
  const { Items, Next } = await deps.users.listSessions(
    visit.permitted("Settings:Read"),
    String(person.Id),
    pagingOf(visit),
  );
  const mayChange = visit.may("Settings:Update", "User", { ...person });
  return {
    title: "Where signed in",
    above: aboveOf(person),
    body: (
      <>
        <Table caption="Where signed in" columns={columns(visit, person, mayChange)} rows={Items} />
        <Pager visit={visit} next={Next} />
      </>
    ),
  };
}

function columns(visit: Visit, person: Person, mayChange: boolean) {
  const end = (session: SessionRecord) => (
    <AskButton
      visit={visit}
      action={`${pathOf(person)}/session/end`}
      label="End"
      about={session.Device}
      question={askToEnd(person, session)}
    />
  );
  return [
    { name: "Browser", cell: ({ Device }: SessionRecord) => <Text text={Device} /> },
    { name: "Address", cell: ({ Address }: SessionRecord) => <Text text={Address} /> },
    { name: "Factors", cell: ({ Acr }: SessionRecord) => <Text text={Acr === "2" ? "two" : "one"} /> },
    { name: "Signed in", cell: ({ StartedOn }: SessionRecord) => <Time at={new Date(StartedOn)} ago /> },
    { name: "Last seen", cell: ({ LastSeen }: SessionRecord) => <Time at={new Date(LastSeen)} ago /> },
    ...(mayChange ? [{ name: "End", cell: end }] : []),
  ];
}

function askToEnd(person: Person, { Id, Device }: SessionRecord): Confirmation {
  return {
    title: phrase`End the sign-in in ${Device}?`,
    above: aboveOf(person),
    effects: [
      "That browser is signed out.",
      "Its refresh tokens and their access tokens end with it.",
      TOKENS_ELSEWHERE,
    ],
    confirm: "End this sign-in",
    fields: { session: Id },
    back: pathOf(person),
  };
}

export function sessionPages(deps: ConsoleServices): ConsolePage[] {
  const needs = ["AccessManager:Read", "Settings:Read", "Settings:Update"] as const;
  return [
    confirming({
      path: `${USERS}/:id/session/end`,
      needs,
      async ask(visit) {
        const person = await readPerson(deps, visit);
        const caller = visit.permitted("Settings:Read");
        return askToEnd(
          person,
          await deps.users.readSession(caller, String(person.Id), visit.form.get("session") ?? ""),
        );
      },
      async act(visit) {
        const caller = visit.permitted("Settings:Update");
        const { Device } = await deps.users.endSession(caller, visit.params.id!, visit.form.get("session") ?? "");
        const notice = `The sign-in in ${Device} is ended, and its refresh tokens with it.`;
        return visit.goTo(`${USERS}/${visit.params.id}`, notice);
      },
    }),
    confirming({
      path: `${USERS}/:id/sessions/end`,
      isLinked: true,
      needs,
      async ask(visit) {
        const person = await readPerson(deps, visit);
        return {
          title: "End all sign-ins?",
          above: aboveOf(person),
          effects: [
            phrase`${titleOf(person)} is signed out in every browser.`,
            "All applications lose their refresh and access tokens for this person.",
            TOKENS_ELSEWHERE,
            "The password stays valid. If someone else knows it, create a password link as well.",
          ],
          confirm: "End all sign-ins",
          back: pathOf(person),
          keep: "Keep them",
        };
      },
      async act(visit) {
        const ended = await deps.users.endSessions(visit.permitted("Settings:Update"), visit.params.id!);
        const notice = ended === 1 ? "One sign-in is ended" : `${ended} sign-ins are ended`;
        return visit.goTo(`${USERS}/${visit.params.id}`, `${notice}, and all refresh tokens with it.`);
      },
    }),
  ];
}
