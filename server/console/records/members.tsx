// A list of references on a record's page: its members, a search that finds and adds them, and their removal.

import { NotFound } from "../../platform/errors.ts";
import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import { type Declaration, type EntityRecord, type Member, SELF_MADE } from "../../records/index.ts";
import {
  ActionButton,
  askColumn,
  ButtonLink,
  Code,
  type Column,
  EmptyState,
  find,
  Link,
  ListSection,
  Pager,
  phrase,
  SearchForm,
  Section,
  Table,
  Text,
} from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import type { Visit } from "../visit.ts";
import { lookUpNames, nameOfRecord } from "./names.ts";
import { RecordLink } from "./record-link.tsx";
import { aboveOf, type Identified, type Kind, mayChangeOne } from "./record-pages.tsx";
import { listRecords, Value } from "./records.tsx";

/** Members on a page. */
const PAGE = 50;
/** The maximum for each type; a longer search text narrows the results. */
const MAX_OFFERED = 25;

/** The texts that a kind may give to the list of its members. */
export interface MemberTexts<Item> {
  none?(record: Item): string;
  /** The effects of removing a member, and the state that they depend on. */
  ofRemoval?(record: Item): Pick<Confirmation, "effects" | "basis">;
}

interface List<Item extends Identified> extends MemberTexts<Item> {
  deps: ConsoleServices;
  kind: Kind<Item>;
  /** The field with the list, such as Members. */
  name: string;
  types: readonly string[];
}

/** Adds the pages of a kind's lists of references to its pages. */
export function withMembers<Item extends Identified>(
  deps: ConsoleServices,
  kind: Kind<Item>,
  { field }: Pick<Declaration, "field">,
  texts: MemberTexts<Item> = {},
): Kind<Item> {
  const lists = Object.entries(field).flatMap(([name, { list }]): List<Item>[] =>
    list ? [{ ...texts, deps, kind, name, types: list.of }] : [],
  );
  if (lists.length === 0) return kind;
  return {
    ...kind,
    page: {
      ...kind.page,
      async show(visit, held) {
        const sections = await Promise.all(lists.map((list) => memberSection(list, visit, held.record)));
        return (
          <>
            {(await kind.page.show(visit, held)) as "safe"}
            {sections as "safe"[]}
          </>
        );
      },
    },
    more: [...(kind.more ?? []), ...lists.flatMap(memberPages)],
  };
}

function memberPages<Item extends Identified>(list: List<Item>): ConsolePage[] {
  const { path, scopes, nouns } = list.kind;
  const both = [scopes.read, ...scopes.write];
  const all = [...new Set([...both, "AccessManager:Read"] as const)];
  const own = `${path}/:id/${wordOf(list)}`;
  return [
    {
      path: `${own}/add`,
      GET: { needs: all, answer: (visit) => pickPage(list, visit) },
      POST: { needs: all, answer: (visit) => addMember(list, visit) },
    },
    confirming({
      path: `${own}/remove`,
      needs: both,
      async ask(visit) {
        const { record } = await list.kind.records.read(visit);
        const member = memberIn(visit.form, list.types);
        return questionOf(list, record, member, (await lookUpNames(visit, [member]))(member));
      },
      async act(visit, { back }) {
        const member = memberIn(visit.form, list.types);
        await change(list, visit, { Remove: [member] });
        return visit.goTo(back, phrase`The ${member.Type} was removed from the ${nouns[0]}.`);
      },
    }),
  ];
}

/** The list's name in addresses. */
const wordOf = ({ name }: Pick<List<never>, "name">) => name.toLowerCase();

function memberIn(form: URLSearchParams, types: readonly string[]): Member {
  return { Type: types.find((type) => type === form.get("Type")) ?? types[0]!, Id: Number(form.get("Id")) };
}

const membersOf = (record: object, name: string) => (record as Record<string, Member[]>)[name]!;

export const isIn = (members: readonly Member[], { Type, Id }: Member) =>
  members.some((one) => one.Type === Type && one.Id === Id);

/** Others who change the list meanwhile keep their changes. @throws BadInput, NotFound, Permission, Conflict */
function change<Item extends Identified>({ kind, name }: List<Item>, visit: Visit, part: object) {
  return kind.records.save(visit, { Id: visit.params.id, [name]: part }, UNCONDITIONAL);
}

/** @throws NotFound if it is not a member */
export function askToRemove(
  members: readonly Member[],
  member: Member,
  [name, from]: [name: string, from: string],
  more: Omit<Confirmation, "title" | "confirm">,
): Confirmation {
  if (!isIn(members, member)) throw new NotFound(`This ${member.Type} is not a member of ${from}.`);
  return { title: phrase`Remove ${name} from ${from}?`, confirm: "Remove", ...more };
}

function questionOf<Item extends Identified>(list: List<Item>, record: Item, member: Member, name: string) {
  const { kind, ofRemoval = () => ({ effects: ["The record itself stays."] }) } = list;
  return askToRemove(membersOf(record, list.name), member, [name, kind.titleOf(record)], {
    ...ofRemoval(record),
    fields: { Type: member.Type, Id: String(member.Id) },
    above: aboveOf(kind, record),
    back: `${kind.path}/${record.Id}`,
  });
}

async function memberSection<Item extends Identified>(list: List<Item>, visit: Visit, record: Item) {
  const { kind, name, none = () => `No ${wordOf(list)} yet.` } = list;
  const from = Math.max(0, Math.trunc(Number(visit.url.searchParams.get("Cursor"))) || 0);
  const members = membersOf(record, name);
  const shown = members.slice(from, from + PAGE);
  const nameOf = await lookUpNames(visit, shown);
  const mayChange = mayChangeOne(kind, visit, record);
  const path = `${kind.path}/${record.Id}/${wordOf(list)}`;
  const columns: Column<Member>[] = [
    { name: "Name", cell: (one) => <RecordLink visit={visit} one={one} name={nameOf} /> },
    { name: "Kind", cell: ({ Type }) => <Text text={Type} /> },
    { name: "Id", cell: ({ Id }) => <Code text={String(Id)} /> },
    ...askColumn<Member>(visit, mayChange, "Remove", (one) => ({
      action: `${path}/remove`,
      about: nameOf(one),
      question: questionOf(list, record, one, nameOf(one)),
    })),
  ];
  // ButtonLink escapes the label.
  const label = `Add ${wordOf(list)}`;
  return (
    <ListSection
      title={`${name} (${members.length.toLocaleString("en")})`}
      id={wordOf(list)}
      caption={name}
      columns={columns}
      rows={shown}
      none={none(record)}
      buttons={
        mayChange && visit.may("AccessManager:Read") && <ButtonLink href={visit.href(`${path}/add`)} label={label} />
      }
    >
      <Pager visit={visit} page={{ Next: from + PAGE < members.length ? String(from + PAGE) : null, Hidden: 0 }} />
    </ListSection>
  );
}

interface Candidate extends Member {
  title: string;
  known: string;
  /** How a self-made record was made, because its name proves nothing. */
  how: string | undefined;
}

/** Records that match the search; without one, the newest. */
async function pickPage<Item extends Identified>(list: List<Item>, visit: Visit): Promise<View> {
  const { kind, types, name } = list;
  const { record } = await kind.records.read(visit);
  visit.caller.permissions.require(kind.scopes.write.at(-1)!, kind.type, { ...record });
  const options = types.map((value) => ({ value, label: `${value}s` }));
  const filters = [
    { name: "Search", label: "Part of a name" },
    ...(options.length > 1 ? [{ name: "Type", label: "Kind", options }] : []),
  ];
  let hasMore = false;
  const found = await find(visit, filters, async () => {
    const asked = types.filter((type) => type === visit.url.searchParams.get("Type"));
    const pages = await Promise.all(
      (asked.length > 0 ? asked : types).map((type) => candidatesOf(list.deps, visit, type)),
    );
    hasMore = pages.some(({ Next }) => Next !== null);
    const Hidden = pages.some((page) => page.Hidden === null) ? null : 0;
    return { Items: pages.flatMap(({ Items }) => Items), Next: null, Hidden };
  });
  const { Items } = found.page;
  const members = membersOf(record, name);
  const columns: Column<Candidate>[] = [
    { name: "Name", cell: (one) => <Link href={visit.href(visit.pathOf(one)!)} text={one.title} /> },
    { name: "Kind", cell: ({ Type }) => <Text text={Type} /> },
    { name: "Known as", cell: ({ known }) => <Value text={known} /> },
    { name: "Origin", cell: ({ how }) => <Value text={how ?? ""} /> },
    {
      name: `Add to the ${kind.nouns[0]}`,
      cell: (one) =>
        isIn(members, one) ? <span class="none">is a member</span> : <AddButton visit={visit} one={one} />,
    },
  ];
  return {
    title: `Add ${wordOf(list)}`,
    above: aboveOf(kind, record),
    status: found.status,
    body: (
      <>
        <SearchForm visit={visit} filters={filters} problems={found.problems} />
        {Items.length > 0 ? (
          <Section title="Found">
            <Table caption="Found" rows={Items} columns={columns} />
            {hasMore ? <p class="fine">There are more matches. Enter more of the name.</p> : ""}
          </Section>
        ) : (
          <EmptyState title={found.problems ? "No search yet" : "No matches"}>
            <p>The search matches parts of names, user names, e-mail addresses and keys.</p>
          </EmptyState>
        )}
      </>
    ),
  };
}

function AddButton({ visit, one: { Type, Id, title } }: { visit: Visit; one: Candidate }): JSX.Element {
  const { pathname, search } = visit.url;
  return (
    <ActionButton
      visit={visit}
      action={pathname + search}
      label="Add"
      about={title}
      fields={{ Type, Id: String(Id) }}
    />
  );
}

async function candidatesOf({ records }: ConsoleServices, visit: Visit, Type: string) {
  const service = records.of(Type);
  const { selfMade } = service.entity;
  const Search = visit.url.searchParams.get("Search")?.trim();
  const found = (more: object = {}) => {
    const query = { ...(Search && { Search }), Limit: String(MAX_OFFERED), ...more };
    return listRecords<EntityRecord>(service, visit, new URLSearchParams(query));
  };
  const { Items, ...rest } = await found();
  // A self-made record on this page is also on the first page of self-made ones.
  const ofStrangers = selfMade ? (await found({ [SELF_MADE]: "true" })).Items.map(({ Id }) => Id) : [];
  const candidates = Items.map((record): Candidate => {
    const { Id, Username, Email, ApplicationKey } = record;
    const known = [Username, Email, ApplicationKey].filter(Boolean).join(", ");
    const how = ofStrangers.includes(Id) ? selfMade!.how : undefined;
    return { Type, Id: Number(Id), title: nameOfRecord(Type, record), known, how };
  });
  return { Items: candidates, ...rest };
}

/** Keeps the search, so the next member can be added from the same results. */
async function addMember<Item extends Identified>(list: List<Item>, visit: Visit): Promise<Response> {
  const { form, url } = visit;
  const { Type } = memberIn(form, list.types);
  const { record } = await list.deps.records.of(Type).read(visit.permitted("AccessManager:Read"), form.get("Id") ?? "");
  await change(list, visit, { Add: [{ Type, Id: record.Id }] });
  const noun = list.kind.nouns[0];
  return visit.goTo(url.pathname + url.search, phrase`In the ${noun} now: ${nameOfRecord(Type, record)}`);
}
