import { NotFound } from "../../platform/errors.ts";
import { etagOf, UNCONDITIONAL } from "../../platform/http/conditions.ts";
import { type EntityRecord, ROLE, type RoleRecord, SELF_MADE } from "../../records/index.ts";
import {
  ActionButton,
  EmptyState,
  find,
  type Option,
  phrase,
  SearchForm,
  Section,
  statusOf,
  Table,
  Text,
} from "../../ui/index.ts";
import type { Confirmation, ConsoleServices, View } from "../page.tsx";
import { nameOfRecord } from "../records/names.ts";
import { listRecords, Value } from "../records/records.tsx";
import type { Visit } from "../visit.ts";

export const ROLES = "/settings/roles";

/** @param name the member's name @param fields the page's form fields that identify the member @throws NotFound */
export function askToRemove(
  role: RoleRecord,
  member: MemberRecord,
  name: string,
  { fields, ...ways }: Pick<Confirmation, "fields" | "above" | "back">,
): Confirmation {
  if (!isIn(role, member)) throw new NotFound(`This ${member.Type} is not in the role.`);
  return {
    title: phrase`Remove ${name} from ${role.Name}?`,
    effects: ["Permissions of only this role end with the next request."],
    confirm: "Remove",
    fields,
    basis: role.Scopes,
    ...ways,
  };
}

const TYPES = ["User", "Application"] as const;

export type MemberRecord = RoleRecord["Members"][number];

const OPTIONS: Option[] = [
  { value: "User", label: "Users" },
  { value: "Application", label: "Applications" },
];
/** The maximum for each type; a longer search text narrows the results. */
const MAX_OFFERED = 25;

interface Candidate extends MemberRecord {
  title: string;
  known: string;
  /** Why its name proves nothing: it is self-made. */
  how: string | undefined;
}

/** Users and applications that match the search; without one, the newest. */
export async function pickPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { record: role } = await deps.roles.read(visit.permitted("Settings:Read"), visit.params.id!);
  visit.caller.permissions.require("Settings:Update", "Role", role);
  const filters = [
    { name: "Search", label: "Part of a name" },
    { name: "Type", label: "Kind", options: OPTIONS },
  ];
  let hasMore = false;
  const found = await find(visit, filters, async () => {
    const pages = await Promise.all(typesOf(visit).map((type) => candidatesOf(deps, visit, type)));
    hasMore = pages.some(({ Next }) => Next !== null);
    const Hidden = pages.some((page) => page.Hidden === null) ? null : 0;
    return { Items: pages.flatMap(({ Items }) => Items), Next: null, Hidden };
  });
  const { Items } = found.page;
  return {
    title: "Add members",
    above: [
      { name: "Roles", path: ROLES },
      { name: role.Name, path: `${ROLES}/${role.Id}` },
    ],
    status: statusOf(found),
    body: (
      <>
        <SearchForm visit={visit} filters={filters} problems={found.problems} />
        {Items.length > 0 ? (
          <Section title="Found">
            <Table
              caption="Found"
              rows={Items}
              columns={[
                {
                  name: "Name",
                  cell: (one) => (
                    <a href={visit.href(visit.pathOf(one)!)} safe>
                      {one.title}
                    </a>
                  ),
                },
                { name: "Kind", cell: ({ Type }) => <Text text={Type} /> },
                { name: "Known as", cell: ({ known }) => <Value text={known} /> },
                { name: "Origin", cell: ({ how }) => <Value text={how ?? ""} /> },
                {
                  name: "Add to the role",
                  cell: (one) =>
                    isIn(role, one) ? <span class="none">is a member</span> : <AddButton visit={visit} one={one} />,
                },
              ]}
            />
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

function typesOf({ url }: Visit): readonly MemberRecord["Type"][] {
  const asked = TYPES.find((type) => type === url.searchParams.get("Type"));
  return asked ? [asked] : TYPES;
}

async function candidatesOf({ records }: ConsoleServices, visit: Visit, Type: MemberRecord["Type"]) {
  const service = records.of(Type);
  const { selfMade } = service.entity;
  const Search = visit.url.searchParams.get("Search")?.trim();
  const found = (more: object = {}) => {
    const query = { ...(Search && { Search }), Limit: String(MAX_OFFERED), ...more };
    return listRecords<EntityRecord>(service, visit, new URLSearchParams(query));
  };
  const { Items, ...rest } = await found();
  // Those among the first records are among the first self-made ones, too.
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
export async function addMember(deps: ConsoleServices, visit: Visit): Promise<Response> {
  const { form, params, url } = visit;
  const Type = form.get("Type") === "Application" ? "Application" : "User";
  const { record } = await deps.records.of(Type).read(visit.permitted("AccessManager:Read"), form.get("Id") ?? "");
  await joinRole(deps, visit, params.id!, { Type, Id: Number(record.Id) });
  return visit.goTo(url.pathname + url.search, phrase`In the role now: ${nameOfRecord(Type, record)}`);
}

export function isIn({ Members }: RoleRecord, { Type, Id }: MemberRecord): boolean {
  return Members.some((one) => one.Type === Type && one.Id === Id);
}

/** Whether users have it without being listed. */
export function isGivenToUsers({ AllUsers, IdentityProviderId }: RoleRecord): boolean {
  return AllUsers || IdentityProviderId !== "";
}

/** @throws BadInput for an invalid member, NotFound, Permission, Conflict if callers would lock themselves out */
export function joinRole(deps: ConsoleServices, visit: Visit, roleId: string, member: MemberRecord) {
  return saveMembers(deps, visit, roleId, ({ Members }) => [...Members, member]);
}

/** @throws NotFound, Permission, Conflict if callers would lock themselves out */
export function leaveRole(deps: ConsoleServices, visit: Visit, roleId: string, { Type, Id }: MemberRecord) {
  const isOther = (one: MemberRecord) => one.Type !== Type || one.Id !== Id;
  return saveMembers(deps, visit, roleId, ({ Members }) => Members.filter(isOther));
}

/** Changes the current members, so concurrent changes are kept. */
async function saveMembers(
  { roles }: ConsoleServices,
  visit: Visit,
  roleId: string,
  members: (role: RoleRecord) => RoleRecord["Members"],
) {
  const { record: role, version } = await roles.read(visit.permitted("Settings:Read"), roleId);
  const unchanged = { ...UNCONDITIONAL, ifMatch: [etagOf(version)] };
  const body = { Id: role.Id, Members: members(role) };
  const { record } = await roles.save(visit.permitted("Settings:Update"), ROLE.parse(body), unchanged, body);
  return record;
}
