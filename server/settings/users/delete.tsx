import { confirmation, phrase } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import { deleteRecord, readRecord, saveRecord } from "../records/records.ts";
import type { Visit } from "../visit.ts";
import { type Person, pathOf, titleOf, USERS } from "./person.ts";
import { aboveOf } from "./sign-in.tsx";

export async function deletePage({ records }: SettingsDependencies, visit: Visit): Promise<View> {
  const { record: person } = await readRecord<Person>(records.of("User"), visit);
  visit.caller.permissions.require("AccessManager:Delete", "User", { ...person });
  return confirmation({
    visit,
    title: "Delete this user?",
    above: aboveOf(person),
    effects: [
      phrase`${titleOf(person)} can no longer sign in, and is signed out everywhere.`,
      "The password, the second factor, roles and what applications were allowed go with the user.",
      "Webhook connections that listen to User get its last state.",
      "What the user did stays in the audit log, under its Id.",
    ],
    label: "Delete user",
    action: `${pathOf(person)}/delete`,
    back: pathOf(person),
  });
}

export async function deleteUser({ records }: SettingsDependencies, visit: Visit): Promise<Response> {
  const gone = (await deleteRecord(records.of("User"), visit)) as unknown as Person;
  return visit.goTo(USERS, phrase`${titleOf(gone)} is deleted.`);
}

/** Active or not, by one button. */
export async function setState({ records }: SettingsDependencies, visit: Visit): Promise<Response> {
  const Is_Active = visit.form.get("Is_Active") === "true";
  await saveRecord(records.of("User"), visit, { Id: visit.params.id, Is_Active });
  const told = Is_Active ? "The user is active and can sign in." : "The user is not active any more and is signed out.";
  return visit.goTo(`${USERS}/${visit.params.id}`, told);
}
