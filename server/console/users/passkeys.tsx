// The passkeys by which a User signs in.

import type { PasskeyRecord } from "../../identity/index.ts";
import { NotFound } from "../../platform/errors.ts";
import { askColumn, type Column, ListSection, phrase, Text, Time } from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { aboveOf, type Person, pathOf, readPerson, USERS } from "./person.tsx";

export interface PasskeysProps {
  visit: Visit;
  person: Person;
  passkeys: PasskeyRecord[];
  mayChange: boolean;
}

/** Empty if there are none: only users add passkeys. */
export function PasskeysSection({ visit, person, passkeys, mayChange }: PasskeysProps): JSX.Element {
  if (passkeys.length === 0) return "";
  return (
    <ListSection title="Passkeys" id="passkeys" columns={columns(visit, person, mayChange)} rows={passkeys} none="" />
  );
}

function columns(visit: Visit, person: Person, mayChange: boolean): Column<PasskeyRecord>[] {
  return [
    { name: "Made by", cell: ({ Name }) => <Text text={Name} /> },
    {
      name: "Copies",
      cell: ({ Is_Synced }) => <Text text={Is_Synced ? "synced between devices" : "one device only"} />,
    },
    { name: "Added", cell: ({ CreatedOn }) => <Time at={new Date(CreatedOn)} ago /> },
    {
      name: "Last used",
      cell: ({ LastUsedOn }) =>
        LastUsedOn === null ? <span class="none">never</span> : <Time at={new Date(LastUsedOn)} ago />,
    },
    ...askColumn<PasskeyRecord>(visit, mayChange, "Remove", (passkey) => ({
      action: `${pathOf(person)}/passkey/remove`,
      label: "Remove",
      about: passkey.Name,
      question: askToRemove(person, passkey),
    })),
  ];
}

function askToRemove(person: Person, { Id, Name }: PasskeyRecord): Confirmation {
  return {
    title: phrase`Remove the passkey ${Name}?`,
    above: aboveOf(person),
    effects: [
      "It can no longer sign in as this user.",
      "Sign-ins that began with it stay; end them below if it is stolen.",
    ],
    confirm: "Remove passkey",
    fields: { passkey: Id },
    back: pathOf(person),
  };
}

export function removePasskeyPage(deps: ConsoleServices): ConsolePage {
  return confirming({
    path: `${USERS}/:id/passkey/remove`,
    needs: ["AccessManager:Read", "Settings:Read", "Settings:Update"],
    async ask(visit) {
      const person = await readPerson(deps, visit);
      const { Items } = await deps.users.listPasskeys(visit.permitted("Settings:Read"), String(person.Id));
      const passkey = Items.find(({ Id }) => Id === visit.form.get("passkey"));
      if (!passkey) throw new NotFound("The User has no passkey with this Id.");
      return askToRemove(person, passkey);
    },
    async act(visit) {
      const id = visit.params.id!;
      await deps.users.removePasskey(visit.permitted("Settings:Update"), id, visit.form.get("passkey") ?? "");
      const notice = "The passkey is removed. If the user has no other way to sign in, create a password link.";
      return visit.goTo(`${USERS}/${id}`, notice);
    },
  });
}
