// Where a User is signed in, and how that is ended.

import type { Page } from "../../http/query.ts";
import type { SessionRecord } from "../../signin/index.ts";
import { AskButton, ButtonLink, Pager, phrase, Section, Table, Text, Time, TOKENS_ELSEWHERE } from "../../ui/index.ts";
import { confirmed, type SettingsDependencies, type View } from "../page.tsx";
import { pagingOf, readRecord } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, type Person, pathOf, titleOf, USERS } from "./person.tsx";

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

/** All of them, a page at a time. */
export async function sessionsPage({ records, users }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: person } = await readRecord<Person>(records.of("User"), visit);
  const { Items, Next } = await users.listSessions(
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
  const end = ({ Id, Device }: SessionRecord) => (
    <AskButton
      visit={visit}
      action={`${pathOf(person)}/session/end`}
      label="End"
      about={Device}
      question={phrase`End the sign-in in ${Device}?`}
      effects={[
        "That browser is signed out.",
        "The refresh tokens that came of it end with it, and so do their access tokens.",
        TOKENS_ELSEWHERE,
      ]}
      confirm="End this sign-in"
      fields={{ session: Id }}
    />
  );
  return [
    { name: "Browser", cell: ({ Device }: SessionRecord) => <Text text={Device} /> },
    { name: "Address", cell: ({ Address }: SessionRecord) => <Text text={Address} /> },
    { name: "Factors", cell: ({ Acr }: SessionRecord) => <Text text={Acr === "2" ? "two" : "one"} /> },
    { name: "Signed in", cell: ({ StartedOn }: SessionRecord) => <Time at={new Date(StartedOn)} ago /> },
    { name: "Last seen", cell: ({ LastSeen }: SessionRecord) => <Time at={new Date(LastSeen)} ago /> },
    ...(mayChange ? [{ name: "End it", cell: end }] : []),
  ];
}

export async function endSession({ users }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { Device } = await users.endSession(
    visit.permitted("Settings:Update"),
    visit.params.id!,
    visit.form.get("session") ?? "",
  );
  return visit.goTo(
    `${USERS}/${visit.params.id}`,
    `The sign-in in ${Device} is ended, and its refresh tokens with it.`,
  );
}

export async function endSessions({ records, users }: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { record: person } = await readRecord<Person>(records.of("User"), visit);
  const path = pathOf(person);
  const asked = {
    visit,
    title: "End all sign-ins?",
    above: aboveOf(person),
    effects: [
      phrase`${titleOf(person)} is signed out in every browser.`,
      "All applications lose their refresh tokens for this person; access tokens they hold end with them.",
      TOKENS_ELSEWHERE,
      "The password stays good. If somebody else knows it, make a password link as well.",
    ],
    of: person.Id,
    label: "End all sign-ins",
    action: `${path}/sessions/end`,
    back: path,
    keep: "Keep them",
  };
  return confirmed(asked, async () => {
    const ended = await users.endSessions(visit.permitted("Settings:Update"), String(person.Id));
    const told = ended === 1 ? "One sign-in is ended" : `${ended} sign-ins are ended`;
    return visit.goTo(path, `${told}, and all refresh tokens with it.`);
  });
}
