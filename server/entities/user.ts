import { boolean, type EntityDefinition, serverDate, text } from "./definition.ts";

/** SPEC.md "User". */
export const user: EntityDefinition = {
  name: "User",
  table: "users",
  idAsText: false,
  fields: [
    { name: "Id", column: "id", type: "int32", readOnly: true },
    text("Name", "name"),
    text("Username", "username"),
    text("Email", "email"),
    text("MobilePhone", "mobile_phone"),
    text("External_Id", "external_id", { unique: "users_external_id_key" }),
    serverDate("Creation_Date", "created_on"),
    serverDate("Last_Login", "last_login"),
    boolean("Is_Active", "is_active"),
  ],
  references: [],
  identifiers: ["External_Id"],
  operations: ["read"],
};
