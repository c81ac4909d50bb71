// Credentials and sessions of a User: a section of the user's page, and the removal of one.

import { NotFound } from "../../platform/errors.ts";
import type { Permitted } from "../../records/index.ts";
import { askColumn, type Column, ListSection } from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type Visit } from "../page.tsx";
import { aboveOf, type Person, pathOf, readPerson, USERS } from "./person.tsx";

export interface OfPerson {
  visit: Visit;
  person: Person;
  mayChange: boolean;
}

interface Belonging<Item> {
  title: string;
  id: string;
  /** In sentences, and the form's field. */
  noun: string;
  verb: string;
  /** Instead of an empty section; without it, there is no section. */
  none?: string;
  titleOf(item: Item): string;
  columns(visit: Visit): Column<Item>[];
  ask(item: Item): Pick<Confirmation, "title" | "effects" | "confirm">;
  find(deps: ConsoleServices, by: Permitted<"Settings:Read">, userId: string, id: string): Promise<Item | undefined>;
  /** @returns the message */
  remove(deps: ConsoleServices, by: Permitted<"Settings:Update">, userId: string, id: string): Promise<string>;
}

export function belonging<Item extends { Id: string }>(kind: Belonging<Item>) {
  const { title, id, noun, verb, none } = kind;
  const path = `${noun}/${verb.toLowerCase()}`;
  const question = (person: Person, item: Item): Confirmation => ({
    ...kind.ask(item),
    above: aboveOf(person),
    fields: { [noun]: item.Id },
    back: pathOf(person),
  });

  function columns({ visit, person, mayChange }: OfPerson): Column<Item>[] {
    return [
      ...kind.columns(visit),
      ...askColumn<Item>(visit, mayChange, verb, (item) => ({
        action: `${pathOf(person)}/${path}`,
        about: kind.titleOf(item),
        question: question(person, item),
      })),
    ];
  }

  return {
    title,
    columns,
    section: (of: OfPerson, items: readonly Item[], buttons?: JSX.Element | false) => (
      <ListSection title={title} id={id} columns={columns(of)} rows={items} none={none} buttons={buttons} />
    ),
    removal: (deps: ConsoleServices): ConsolePage =>
      confirming({
        path: `${USERS}/:id/${path}`,
        needs: ["AccessManager:Read", "Settings:Read", "Settings:Update"],
        async ask(visit) {
          const person = await readPerson(deps, visit);
          const asked = visit.form.get(noun) ?? "";
          const item = await kind.find(deps, visit.permitted("Settings:Read"), String(person.Id), asked);
          if (!item) throw new NotFound(`The User has no ${noun} with this Id.`);
          return question(person, item);
        },
        async act(visit) {
          const userId = visit.params.id!;
          const by = visit.permitted("Settings:Update");
          return visit.goTo(`${USERS}/${userId}`, await kind.remove(deps, by, userId, visit.form.get(noun) ?? ""));
        },
      }),
  };
}
