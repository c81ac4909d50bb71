import type { Queries } from "../../platform/db/sql.ts";
import type { TenantId } from "../../platform/ids.ts";
import type { Attributes } from "../../records/index.ts";

export interface UserRow {
  name: string | null;
  username: string | null;
  email: string | null;
  emailVerified: boolean;
  mobilePhone: string | null;
  phoneVerified: boolean;
  externalId: string | null;
  givenName: string | null;
  familyName: string | null;
  locale: string | null;
  zoneInfo: string | null;
  picture: string | null;
  middleName: string | null;
  nickname: string | null;
  profile: string | null;
  website: string | null;
  gender: string | null;
  birthDate: string | null;
  address: string | null;
  attributes: Attributes;
  department: string | null;
  updatedOn: Date;
}

/** @returns undefined if the user is deleted or inactive */
export async function findUserClaims(sql: Queries, tenantId: TenantId, userId: number): Promise<UserRow | undefined> {
  const [user] = await sql<UserRow[]>`
    select u.name, u.username, u.email, u.email_verified as "emailVerified", u.mobile_phone as "mobilePhone",
      u.mobile_phone_verified as "phoneVerified", u.external_id as "externalId",
      u.given_name as "givenName", u.family_name as "familyName", u.locale, u.zone_info as "zoneInfo", u.picture,
      u.middle_name as "middleName", u.nickname, u.profile, u.website, u.gender, u.birth_date as "birthDate", u.address, u.attributes,
      d.name as department,
      coalesce(u.modified_on, u.created_on) as "updatedOn"
    from users u left join departments d on d.id = u.department_id and d.tenant_id = u.tenant_id
    where u.tenant_id = ${tenantId} and u.id = ${userId} and u.is_active`;
  return user;
}
