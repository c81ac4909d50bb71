import type { Queries, Sql } from "../../../platform/db/sql.ts";
import type { TenantId } from "../../../platform/ids.ts";
import { type Actor, recordTable } from "../../../records/index.ts";
import type { texts } from "../../../ui/index.ts";
import { INVITATION, type Invitation, type InvitationState } from "./contract.ts";

/** Days for which closed invitations are kept. */
const KEPT_DAYS = 30;

export const INVITATIONS = recordTable<Invitation>(INVITATION, {
  more: ["expiresOn", "clientId", "sequence", "userId", "digest", "storedState"],
  renamed: { storedState: "state" },
  computed: {
    state: "case when state = 'Sent' and expires_on <= now() then 'Expired' else state end",
    user: "actor_reference(case when user_id is not null then 'User' end, user_id)",
  },
  searched: { Email: "email" },
  isRaced: true,
  // null unless it is a Department of the tenant.
  written: (sql, tenantId, { departmentId }) =>
    departmentId === undefined
      ? {}
      : {
          department_id: sql`(select d.id from departments d
            where d.tenant_id = ${tenantId} and d.id = ${departmentId}::bigint)`,
        },
});

export interface InvitationFilter {
  Name?: string | undefined;
  Email?: string | undefined;
  State?: InvitationState | undefined;
  Search?: string | undefined;
  Sort?: string | undefined;
}

export function listInvitations(
  sql: Queries,
  tenantId: TenantId,
  wanted: InvitationFilter,
  limit: number,
  after: string | undefined,
): Promise<Invitation[]> {
  return INVITATIONS.list(sql, tenantId, { name: wanted.Name }, limit, after, arranged(sql, wanted));
}

export function countInvitations(
  sql: Queries,
  tenantId: TenantId,
  wanted: InvitationFilter,
  max: number,
): Promise<number> {
  return INVITATIONS.count(sql, tenantId, { name: wanted.Name }, max, arranged(sql, wanted));
}

function arranged(sql: Queries, { Email, State, Search: searched, Sort: sort }: InvitationFilter) {
  const email = Email === undefined ? sql`` : sql`and lower(email) = lower(${Email})`;
  const state =
    State === undefined
      ? sql``
      : sql`and case when state = 'Sent' and expires_on <= now() then 'Expired' else state end = ${State}`;
  return { condition: sql`${email} ${state}`, searched, sort };
}

/** The one that is not accepted or revoked. */
export async function lockOpen(sql: Queries, tenantId: TenantId, email: string): Promise<Invitation | undefined> {
  const open = sql`state = 'Sent' and lower(email) = lower(${email})`;
  return (await INVITATIONS.findWhere(sql, tenantId, open, "for update"))[0];
}

export interface OpenInvitation {
  id: string;
  tenantId: TenantId;
  tenantName: string;
  tenantPages: texts.TenantPages;
  email: string;
  name: string;
  invitedBy: string;
}

/** The link determines the tenant, so there is no tenant filter. */
export async function findOpen(sql: Queries, digest: Buffer): Promise<OpenInvitation | undefined> {
  const [row] = await sql<OpenInvitation[]>`
    select i.id, i.tenant_id as "tenantId", t.name as "tenantName",
      json_build_object('language', t.language, 'texts', t.texts) as "tenantPages", i.email, i.name,
      coalesce(actor_reference(i.created_by_type, i.created_by_id)->>'Name', '') as "invitedBy"
    from invitations i join tenants t on t.id = i.tenant_id
    where (i.digest = ${digest} or i.asked_digest = ${digest}) and i.state = 'Sent' and i.expires_on > now()`;
  return row;
}

/** The same, locked, with the last one who saved or sent it. */
export async function lockByDigest(
  sql: Queries,
  tenantId: TenantId,
  digest: Buffer,
): Promise<(Invitation & { actor: Actor }) | undefined> {
  const open = sql`(digest = ${digest} or asked_digest = ${digest}) and state = 'Sent' and expires_on > now()`;
  const [row] = await INVITATIONS.findWhere(sql, tenantId, open, "for update");
  if (!row) return undefined;
  const [actor] = await sql<Actor[]>`
    select modified_by_type as type, modified_by_id as id from invitations where tenant_id = ${tenantId} and id = ${row.id}`;
  return { ...row, actor: actor! };
}

/**
 * A new link for an invitation, which voids the former ones.
 * @param isAsked by a stranger: it voids only another such link @returns the name of the one who saved or sent it
 */
export async function renewLink(
  sql: Queries,
  tenantId: TenantId,
  id: string,
  digest: Buffer,
  isAsked: boolean,
): Promise<string> {
  const links = isAsked ? sql`asked_digest = ${digest}` : sql`digest = ${digest}, asked_digest = null`;
  const [row] = await sql<{ name: string }[]>`
    update invitations set ${links} where tenant_id = ${tenantId} and id = ${id}
    returning coalesce(actor_reference(modified_by_type, modified_by_id)->>'Name', '') as name`;
  return row!.name;
}

/** Whether a User has the address, and has verified it. */
export async function isAddressOfUser(sql: Queries, tenantId: TenantId, email: string): Promise<boolean> {
  const rows = await sql`
    select from users where tenant_id = ${tenantId} and md5(lower(email)) = md5(lower(${email}::text))
      and lower(email) = lower(${email}::text) and email_verified limit 1`;
  return rows.length > 0;
}

export async function findDepartment(sql: Queries, tenantId: TenantId, id: number) {
  const [row] = await sql<{ Id: number; ExternalId: string; Name: string; Type: string }[]>`
    select id as "Id", coalesce(external_id, '') as "ExternalId", coalesce(name, '') as "Name", 'Department' as "Type"
    from departments where tenant_id = ${tenantId} and id = ${id}`;
  return row;
}

export async function findRolesNamed(
  sql: Queries,
  tenantId: TenantId,
  names: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select id, name from roles where tenant_id = ${tenantId} and name = any (${[...names]}::text[])`;
}

/** @returns the Ids of the roles that it became a member of */
export async function joinRoles(
  sql: Queries,
  tenantId: TenantId,
  userId: number,
  roles: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    insert into role_members (tenant_id, role_id, user_id)
    select ${tenantId}, id, ${userId} from roles where tenant_id = ${tenantId} and name = any (${[...roles]}::text[])
    returning role_id as id`;
  return rows.map(({ id }) => id);
}

export async function removeOldInvitations(sql: Sql): Promise<number> {
  const gone = await sql`delete from invitations where expires_on < now() - make_interval(days => ${KEPT_DAYS})`;
  return gone.count;
}
