import type { Queries } from "../../platform/db/sql.ts";
import type { sites } from "../../ui/index.ts";
import { type Branding, faceOf } from "./face.ts";

/** @returns undefined if the tenant has chosen nothing, or does not exist */
export async function findFace(sql: Queries, tenantId: string): Promise<sites.Face | undefined> {
  const [row] = await sql<(Branding & { name: string })[]>`
    select name, display_name as "displayName", welcome, logo, dark_logo as "darkLogo", favicon, accent,
      dark_accent as "darkAccent", background, dark_background as "darkBackground", help_uri as "helpUri",
      privacy_uri as "privacyUri", terms_uri as "termsUri"
    from tenants where id = ${tenantId}`;
  if (!row) return undefined;
  const { name, ...branding } = row;
  const { privacyUri: _, termsUri: __, ...chosen } = branding;
  return Object.values(chosen).some((one) => one !== null) ? faceOf(name, branding) : undefined;
}
