import { id, serverDate, text } from "../fields.ts";
import { record } from "../record.ts";
import { references } from "../reference-list.ts";
import { DESCRIPTION_LIMIT } from "./definition.ts";

/** docs/behaviour.md "Group". */
export const group = record("Group", {
  description: "Users, and groups of users, that policies and roles refer to.",
  table: "groups",
  families: ["Settings"],
  fields: {
    Id: id("int64", { description: "Unique identifier of the group." }),
    ExternalId: text({ description: "External system code; unique in the system.", unique: true, example: "G-17" }),
    Name: text({ description: "Must be unique in the system.", unique: true, example: "Payroll clerks" }),
    Description: text({ description: "Description.", maxLength: DESCRIPTION_LIMIT, example: "May see salaries" }),
    Members: references(["User", "Group"], {
      description: "A User in a group of the list is in this one, too. Groups are nested to 5 levels, without circles.",
      through: "group_members",
      judged: true,
    }),
    ModifiedOn: serverDate({ description: "Update date." }),
    CreatedOn: serverDate({ description: "Creation date." }),
  },
  identifiers: ["Name", "ExternalId"],
  form: {
    Name: { label: "Name", hint: "No other group may have it.", needed: true },
    ExternalId: { label: "External Id", hint: "Its identifier in an external system; unique." },
    Description: { label: "Description", rows: 4 },
  },
});
