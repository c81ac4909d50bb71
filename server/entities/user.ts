import { boolean, type EntityDefinition, serverDate, text, UNIQUE_TEXT_LIMIT } from "./definition.ts";

/** SPEC.md "User". */
export const user: EntityDefinition = {
  name: "User",
  description: "A person who can sign in.",
  table: "users",
  idAsText: false,
  fields: [
    { name: "Id", column: "id", type: "int32", description: "Unique identifier of the user.", readOnly: true },
    text("Name", "name", "Full name."),
    // Several users may have one (SPEC.md Endpoints 4, rule 3), but it is in an index.
    text("Username", "username", "Login name.", { maxLength: UNIQUE_TEXT_LIMIT }),
    text("Email", "email", "E-mail contact."),
    text("MobilePhone", "mobile_phone", "Mobile phone number."),
    text("External_Id", "external_id", "Identifier of the user in an external system.", {
      unique: "users_external_id_key",
    }),
    serverDate("Creation_Date", "created_on", "Creation date."),
    serverDate("Last_Login", "last_login", "Last login time."),
    boolean("Is_Active", "is_active", "Whether the user is still active."),
  ],
  references: [
    {
      name: "Department",
      column: "department_id",
      target: "Department",
      description: "The department the user belongs to.",
    },
  ],
  identifiers: ["External_Id", "Username"],
};
