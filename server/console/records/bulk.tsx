// Actions on the records that are chosen in a list of an entity.

import { BadInput } from "../../platform/errors.ts";
import { MAX_LIMIT } from "../../platform/http/query.ts";
import type { EntityService, Scope } from "../../records/index.ts";
import { type ListProps, phrase, Submit } from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, confirming, type Visit } from "../page.tsx";
import { type Identified, type Kind, type KindPath, listOf } from "./record-pages.tsx";

/** The maximum number of names in the list of effects. */
const MAX_NAMED = 20;
const WRITE = ["AccessManager:Create", "AccessManager:Update"] as const;

/** A page below the list's path that takes the Ids of the chosen records. */
export interface BulkAction {
  to: string;
  label: string;
  needs: readonly Scope[];
}

const DEACTIVATE: BulkAction = { to: "deactivate", label: "Deactivate", needs: WRITE };

export function bulkOf<Item extends Identified>(
  { path, titleOf }: Pick<Kind<Item>, "path" | "titleOf">,
  visit: Visit,
  more: readonly BulkAction[],
): ListProps<Item>["bulk"] {
  const actions = [DEACTIVATE, ...more].filter(({ needs }) => needs.every((one) => visit.caller.scopes.has(one)));
  if (actions.length === 0) return undefined;
  return {
    method: "get",
    idOf: ({ Id }) => String(Id),
    nameOf: titleOf,
    actions: (
      <>
        {actions.map(({ to, label }) => (
          <Submit label={label} kind="plain" formaction={visit.href(`${path}/${to}`)} />
        ))}
      </>
    ),
  };
}

export interface Chosen extends Omit<Confirmation, "title" | "confirm" | "effects"> {
  ids: (string | number)[];
  /** The number of records, and their names. */
  count: string;
  named: string;
}

/** The records whose Ids are sent. @throws BadInput, NotFound, Permission */
export async function chosenIn(kind: KindPath, service: EntityService, visit: Visit): Promise<Chosen> {
  const [one, several] = service.entity.nouns;
  const asked = [...new Set([...visit.url.searchParams.getAll("Id"), ...visit.form.getAll("Id")])].slice(0, MAX_LIMIT);
  if (asked.length === 0) throw new BadInput(`Choose ${several} in the list first.`);
  const caller = visit.permitted("AccessManager:Read");
  const all = await Promise.all(asked.map((id) => service.read(caller, id)));
  const titles = all.map(({ record }) => phrase`${String(record.Name || record.Username || record.Id)}`);
  const more = titles.length > MAX_NAMED ? [`${titles.length - MAX_NAMED} more`] : [];
  return {
    ids: all.map(({ record }) => record.Id as Chosen["ids"][number]),
    count: `${all.length.toLocaleString("en")} ${all.length === 1 ? one : several}`,
    named: [...titles.slice(0, MAX_NAMED), ...more].join(", "),
    above: [listOf(kind)],
    back: kind.path,
    keep: "Cancel",
    fields: { Id: asked },
    basis: all.map(({ version }) => version),
  };
}

/** @param effects those of each deactivation */
export function deactivatePage(kind: KindPath, service: EntityService, effects: string[]): ConsolePage {
  return confirming({
    path: `${kind.path}/deactivate`,
    isLinked: true,
    needs: ["AccessManager:Read", ...WRITE],
    async ask(visit) {
      const chosen = await chosenIn(kind, service, visit);
      const title = `Deactivate ${chosen.count}?`;
      return { ...chosen, title, effects: [chosen.named, ...effects], confirm: `Deactivate ${chosen.count}` };
    },
    async act(visit, { ids, count }) {
      // All of them or none.
      const bodies = ids.map((Id) => ({ Id, Is_Active: false }));
      await service.saveAll(visit.permitted(...WRITE), bodies);
      return visit.goTo(kind.path, `Deactivated: ${count}.`);
    },
  });
}
