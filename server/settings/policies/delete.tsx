import { UNCONDITIONAL } from "../../http/conditions.ts";
import { confirmation, phrase } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { POLICIES, pathOf } from "./policy.ts";

export async function deletePage({ policies }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: policy } = await policies.read(visit.permitted("Settings:Read"), visit.params.id!);
  visit.caller.permissions.require("Settings:Update", "Policy", policy);
  return confirmation({
    visit,
    title: "Delete this policy?",
    above: [
      { name: "Policies", path: POLICIES },
      { name: policy.Name, path: pathOf(policy) },
    ],
    effects: [
      phrase`What only "${policy.Name}" permits is refused from now on.`,
      "What only it forbids is allowed from now on, where another policy permits it.",
      "The text is not kept; copy it first if you may want it again.",
    ],
    label: "Delete policy",
    action: `${pathOf(policy)}/delete`,
    back: pathOf(policy),
  });
}

export async function deletePolicy({ policies }: SettingsDependencies, visit: Visit): Promise<Response> {
  const { record } = await policies.remove(visit.permitted("Settings:Update"), visit.params.id!, UNCONDITIONAL);
  // Who may not read it is told its Id alone.
  return visit.goTo(POLICIES, phrase`The policy ${record.Name ?? record.Id} is deleted.`);
}
