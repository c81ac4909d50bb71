import { flagOrNull, reference, serverDate, text, textId } from "../fields.ts";
import { record } from "../record.ts";
import { DESCRIPTION_LIMIT, WEB_ADDRESS_SHAPE } from "./definition.ts";

/** docs/behaviour.md "Application". */
export const application = record("Application", {
  description: "An application; with credentials it is an OAuth client, and its Id is the client_id.",
  table: "applications",
  families: ["Settings"],
  fields: {
    Id: textId({ description: "Identifier of the application. Primary key; cannot be changed." }),
    Name: text({
      description: "Must be unique in the system.",
      unique: true,
      shownAtSignIn: true,
      example: "Payroll",
    }),
    ApplicationKey: text({
      description: "Identifies the application; unique within each workspace and unique in the system.",
      unique: true,
      example: "payroll",
    }),
    ExternalId: text({ description: "External system code; unique in the system.", unique: true, example: "APP-7" }),
    Description: text({ description: "Description.", maxLength: DESCRIPTION_LIMIT, example: "Pays people on time" }),
    WebSiteURL: text({
      description: "Web site URL of the application.",
      shape: WEB_ADDRESS_SHAPE,
      example: "https://payroll.example.com",
    }),
    Is_System: flagOrNull({ description: "System application (settings menu)." }),
    Is_EndUser: flagOrNull({ description: "End-user application." }),
    Is_Active: flagOrNull({ description: "Application is active and usable." }),
    ModifiedOn: serverDate({ description: "Update date." }),
    CreatedOn: serverDate({ description: "Creation date." }),
    ApplicationId: reference("Application", {
      description: "The parent application.",
      column: "parentId",
      writeOnly: true,
    }),
    AuthenticationId: reference("IdentityProvider", {
      description: "The identity provider that the application's users sign in with.",
      writeOnly: true,
    }),
  },
  identifiers: ["Name", "ExternalId", "ApplicationKey"],
  selfMade: { how: "registered itself", listed: { table: "registered_clients", key: "application_id" } },
  form: {
    Name: { label: "Name", hint: "Shown to people when they sign in to it; unique.", needed: true },
    ApplicationKey: { label: "Application key", hint: "A short name for machines; unique." },
    ExternalId: { label: "External Id", hint: "Its identifier in an external system; unique." },
    WebSiteURL: { label: "Web site", type: "url" },
    Description: { label: "Description", rows: 4 },
    AuthenticationId: {
      label: "Users sign in with",
      hint: "Choose an identity provider to make it the only way to sign in to this application.",
      words: { "": "all that the sign-in page offers" },
    },
    Is_EndUser: { label: "For end users" },
    Is_System: { label: "System application" },
    Is_Active: { label: "Active", hint: "An inactive application gets no tokens." },
  },
});
