import type { SessionRecord } from "../../identity/index.ts";
import type { Page } from "../../platform/http/query.ts";
import {
  askColumn,
  ButtonLink,
  type Column,
  ISSUED_TOKENS,
  List,
  ListSection,
  phrase,
  Text,
  Time,
} from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import { pagingOf } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, type Person, pathOf, readPerson, titleOf, USERS } from "./person.tsx";

const TITLE = "Where signed in";

export interface SessionsProps {
  visit: Visit;
  person: Person;
  page: Page<SessionRecord>;
  mayChange: boolean;
}

export function SessionsSection({ visit, person, page: { Items, Next }, mayChange }: SessionsProps): JSX.Element {
  const path = pathOf(person);
  return (
    <ListSection title={TITLE} id="sessions" columns={columns(visit, person, mayChange)} rows={Items} none="Nowhere.">
      <div class="buttons">
        {Next === null ? "" : <ButtonLink href={visit.href(`${path}/sessions`)}>All browsers</ButtonLink>}
        {mayChange ? <ButtonLink href={visit.href(`${path}/sessions/end`)}>End all sign-ins</ButtonLink> : ""}
      </div>
    </ListSection>
  );
}

export async function sessionsPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const person = await readPerson(deps, visit);
  const page = await deps.users.listSessions(visit.permitted("Settings:Read"), String(person.Id), pagingOf(visit));
  const mayChange = visit.may("Settings:Update", "User", { ...person });
  return {
    title: TITLE,
    above: aboveOf(person),
    body: <List visit={visit} caption={TITLE} found={{ page }} columns={columns(visit, person, mayChange)} />,
  };
}

function columns(visit: Visit, person: Person, mayChange: boolean): Column<SessionRecord>[] {
  return [
    { name: "Browser", cell: ({ Device }) => <Text text={Device} /> },
    { name: "Address", cell: ({ Address }) => <Text text={Address} /> },
    { name: "Factors", cell: ({ Acr }) => <Text text={Acr === "2" ? "two" : "one"} /> },
    { name: "Signed in", cell: ({ StartedOn }) => <Time at={new Date(StartedOn)} ago /> },
    { name: "Last seen", cell: ({ LastSeen }) => <Time at={new Date(LastSeen)} ago /> },
    ...askColumn<SessionRecord>(visit, mayChange, "End", (session) => ({
      action: `${pathOf(person)}/session/end`,
      label: "End",
      about: session.Device,
      question: askToEnd(person, session),
    })),
  ];
}

function askToEnd(person: Person, { Id, Device }: SessionRecord): Confirmation {
  return {
    title: phrase`End the sign-in in ${Device}?`,
    above: aboveOf(person),
    effects: ["That browser is signed out.", "Its refresh tokens and their access tokens end with it.", ISSUED_TOKENS],
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
            ISSUED_TOKENS,
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
