import { flagOrNull, id, reference, serverDate, text } from "../fields.ts";
import { record } from "../record.ts";
import { DESCRIPTION_LIMIT } from "./definition.ts";

/** docs/behaviour.md "Department". */
export const department = record("Department", {
  description: "A part of the organization that users belong to.",
  table: "departments",
  families: ["Settings"],
  fields: {
    Id: id("int64", { description: "Unique identifier of the department." }),
    ExternalId: text({ description: "External system code; unique in the system.", unique: true, example: "FIN" }),
    Name: text({ description: "Must be unique in the system.", unique: true, example: "Finance" }),
    Description: text({ description: "Description.", maxLength: DESCRIPTION_LIMIT, example: "Books and payments" }),
    Is_Active: flagOrNull({ description: "Whether the department is in use." }),
    ModifiedOn: serverDate({ description: "Update date." }),
    CreatedOn: serverDate({ description: "Creation date." }),
    ParentId: reference("Department", { description: "The parent department." }),
  },
  identifiers: ["Name", "ExternalId"],
  form: {
    Name: { label: "Name", hint: "No other department may have it.", needed: true },
    ExternalId: {
      label: "External Id",
      hint: "Its identifier in an external system; unique.",
    },
    ParentId: { label: "Part of" },
    Description: { label: "Description", rows: 4 },
    Is_Active: { label: "Active", hint: "Whether the department is in use." },
  },
});
