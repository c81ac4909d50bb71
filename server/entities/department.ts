import { ENTITY, flag, id, record, reference, serverDate, text } from "../records/index.ts";
import { DESCRIPTION_LIMIT } from "./definition.ts";

/** docs/behaviour.md "Department". */
export const department = record("Department", {
  description: "A part of the organization that users belong to.",
  table: "departments",
  nouns: ["department", "departments"],
  scopes: ENTITY,
  families: ["Settings"],
  events: true,
  audit: "Record",
  fields: {
    Id: id("int64", "Unique identifier of the department."),
    ExternalId: text("external_id", "External system code; unique in the system.", {
      unique: true,
      example: "FIN",
    }),
    Name: text("name", "Must be unique in the system.", { unique: true, example: "Finance" }),
    Description: text("description", "Description.", { maxLength: DESCRIPTION_LIMIT, example: "Books and payments" }),
    Is_Active: flag("is_active", "Whether the department is in use."),
    ModifiedOn: serverDate("modified_on", "Update date."),
    CreatedOn: serverDate("created_on", "Creation date."),
    ParentId: reference("Department", "parent_id", "The parent department."),
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
