export const ROLES = "/settings/roles";

export function pathOf({ Id }: { Id: string }): string {
  return `${ROLES}/${Id}`;
}
