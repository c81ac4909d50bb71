import { boolean, type EntityDefinition, serverDate, text } from "./definition.ts";

/** SPEC.md "Application". */
export const application: EntityDefinition = {
  name: "Application",
  table: "applications",
  idAsText: true,
  fields: [
    { name: "Id", column: "id", type: "int64", readOnly: true },
    text("Name", "name", { unique: "applications_name_key" }),
    text("ApplicationKey", "application_key", { unique: "applications_application_key_key" }),
    text("ExternalId", "external_id", { unique: "applications_external_id_key" }),
    text("Description", "description", { maxLength: 10_000 }),
    text("WebSiteURL", "web_site_url"),
    boolean("Is_System", "is_system"),
    boolean("Is_EndUser", "is_end_user"),
    boolean("Is_Active", "is_active"),
    serverDate("ModifiedOn", "modified_on"),
    serverDate("CreatedOn", "created_on"),
  ],
  references: [
    { name: "ApplicationId", column: "parent_id", target: "Application" },
    { name: "AuthenticationId", column: "", target: "IdentityProvider" },
  ],
  identifiers: ["Name", "ExternalId", "ApplicationKey"],
  operations: ["read", "upsert"],
};
