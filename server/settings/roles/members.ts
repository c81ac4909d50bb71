// Who is in a role: adding somebody, and taking somebody out.

import { ROLE, type RoleRecord } from "../../access/index.ts";
import { BadInput, NotFound } from "../../errors.ts";
import { etagOf, UNCONDITIONAL } from "../../http/conditions.ts";
import { refusedForm } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { rolePage } from "./page.tsx";
import { pathOf } from "./role.ts";

/** What each is found by, and how the form calls that. */
const FOUND_BY = {
  User: { fieldName: "Username", words: "user with this user name" },
  Application: { fieldName: "Name", words: "application with this name" },
} as const;

export async function addMember(deps: SettingsDependencies, visit: Visit): Promise<View | Response> {
  const { form } = visit;
  try {
    const type = form.get("Type") === "Application" ? "Application" : "User";
    const id = await findMember(deps, visit, type, (form.get("Member") ?? "").trim());
    return await saveMembers(deps, visit, ({ Members }) => [...Members, { Type: type, Id: id }], "is in the role now");
  } catch (error) {
    return rolePage(deps, visit, refusedForm(form, error, ["Type", "Member"]));
  }
}

export async function removeMember(deps: SettingsDependencies, visit: Visit): Promise<Response> {
  const { form } = visit;
  const isOther = ({ Type, Id }: RoleRecord["Members"][number]) =>
    Type !== form.get("Type") || String(Id) !== form.get("Id");
  return saveMembers(deps, visit, ({ Members }) => Members.filter(isOther), "is not in the role any more");
}

/** @throws BadInput that begins with the field's name */
async function findMember({ records }: SettingsDependencies, visit: Visit, type: "User" | "Application", name: string) {
  if (name === "") throw new BadInput("Member is missing.");
  const pathValue = `base64|${Buffer.from(name).toString("base64")}`;
  try {
    const { record } = await records
      .of(type)
      .read(visit.permitted("AccessManager:Read"), { pathValue, fieldName: FOUND_BY[type].fieldName });
    return Number(record.Id);
  } catch (error) {
    if (error instanceof BadInput) throw new BadInput(`Member: ${error.errors.join(" ")}`);
    if (!(error instanceof NotFound)) throw error;
    throw new BadInput(`Member: there is no ${FOUND_BY[type].words}.`);
  }
}

/** As the role stands now: nobody's change in between is lost. */
async function saveMembers(
  { roles }: SettingsDependencies,
  visit: Visit,
  members: (role: RoleRecord) => RoleRecord["Members"],
  told: string,
): Promise<Response> {
  const { record: role, version } = await roles.read(visit.permitted("Settings:Read"), visit.params.id!);
  const unchanged = { ...UNCONDITIONAL, ifMatch: [etagOf(version)] };
  const body = { Id: role.Id, Members: members(role) };
  const permitted = visit.permitted("Settings:Update");
  const { record: saved } = await roles.save(permitted, ROLE.parse(body), unchanged, body);
  return visit.goTo(pathOf(saved), `The ${visit.form.get("Type")} ${told}.`);
}
