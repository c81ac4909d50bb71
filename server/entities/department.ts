import { boolean, DESCRIPTION_LIMIT, type EntityDefinition, serverDate, text } from "./definition.ts";

/** docs/behaviour.md "Department". */
export const department: EntityDefinition = {
  name: "Department",
  description: "A part of the organization that users belong to.",
  table: "departments",
  idAsText: false,
  fields: [
    { name: "Id", column: "id", type: "int64", description: "Unique identifier of the department.", readOnly: true },
    text("ExternalId", "external_id", "External system code; unique in the system.", {
      unique: "departments_external_id_key",
      example: "FIN",
    }),
    text("Name", "name", "Must be unique in the system.", { unique: "departments_name_key", example: "Finance" }),
    text("Description", "description", "Description.", { maxLength: DESCRIPTION_LIMIT, example: "Books and payments" }),
    boolean("Is_Active", "is_active", "Whether the department is in use."),
    serverDate("ModifiedOn", "modified_on", "Update date."),
    serverDate("CreatedOn", "created_on", "Creation date."),
  ],
  references: [
    { name: "ParentId", column: "parent_id", target: "Department", description: "The department it is a part of." },
  ],
  identifiers: ["Name", "ExternalId"],
  form: {
    Name: { label: "Name", hint: "No other department may have it.", needed: true },
    ExternalId: {
      label: "External Id",
      hint: "What another system knows it by; no other department may have it.",
    },
    ParentId: { label: "Part of" },
    Description: { label: "Description", rows: 4 },
    Is_Active: { label: "Active", hint: "Whether the department is in use." },
  },
};
