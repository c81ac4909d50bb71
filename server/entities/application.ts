import {
  boolean,
  DESCRIPTION_LIMIT,
  type EntityDefinition,
  serverDate,
  text,
  WEB_ADDRESS_SHAPE,
} from "./definition.ts";

/** docs/behaviour.md "Application". */
export const application: EntityDefinition = {
  name: "Application",
  description: "An application; with credentials it is an OAuth client, and its Id is the client_id.",
  table: "applications",
  idAsText: true,
  fields: [
    {
      name: "Id",
      column: "id",
      type: "int64",
      description: "Identifier of the application. Primary key; cannot be changed.",
      readOnly: true,
    },
    text("Name", "name", "Must be unique in the system.", { unique: "applications_name_key", example: "Payroll" }),
    text(
      "ApplicationKey",
      "application_key",
      "Identifies the application; unique within each workspace and unique in the system.",
      { unique: "applications_application_key_key", example: "payroll" },
    ),
    text("ExternalId", "external_id", "External system code; unique in the system.", {
      unique: "applications_external_id_key",
      example: "APP-7",
    }),
    text("Description", "description", "Description.", {
      maxLength: DESCRIPTION_LIMIT,
      example: "Pays people on time",
    }),
    text("WebSiteURL", "web_site_url", "Web site URL of the application.", {
      shape: WEB_ADDRESS_SHAPE,
      example: "https://payroll.example.com",
    }),
    boolean("Is_System", "is_system", "System application (settings menu)."),
    boolean("Is_EndUser", "is_end_user", "End-user application."),
    boolean("Is_Active", "is_active", "Application is active and usable."),
    serverDate("ModifiedOn", "modified_on", "Update date."),
    serverDate("CreatedOn", "created_on", "Creation date."),
  ],
  references: [
    {
      name: "ApplicationId",
      column: "parent_id",
      target: "Application",
      description: "The parent application.",
      inputOnly: true,
    },
    {
      name: "AuthenticationId",
      column: "authentication_id",
      target: "IdentityProvider",
      description: "The identity provider that the application's users sign in with.",
      inputOnly: true,
    },
  ],
  identifiers: ["Name", "ExternalId", "ApplicationKey"],
  strangers: { table: "registered_clients", key: "application_id" },
  form: {
    Name: { label: "Name", hint: "Shown to people when they sign in to it; unique.", needed: true },
    ApplicationKey: { label: "Application key", hint: "A short name for machines; unique." },
    ExternalId: { label: "External Id", hint: "What another system knows it by; unique." },
    WebSiteURL: { label: "Web site", type: "url" },
    Description: { label: "Description", rows: 4 },
    AuthenticationId: {
      label: "Users sign in with",
      hint: "One identity provider can be made the only way in to this application.",
      words: { "": "what the sign-in page offers" },
    },
    Is_EndUser: { label: "For end users" },
    Is_System: { label: "System application" },
    Is_Active: { label: "Active", hint: "An inactive application gets no tokens." },
  },
};
