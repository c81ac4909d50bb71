export const POLICIES = "/settings/policies";

export function pathOf({ Id }: { Id: string }): string {
  return `${POLICIES}/${Id}`;
}
