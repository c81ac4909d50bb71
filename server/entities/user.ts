import { boolean, type EntityDefinition, type Field, serverDate, text, UNIQUE_TEXT_LIMIT } from "./definition.ts";

/** docs/behaviour.md "User". */
export const user: EntityDefinition = {
  name: "User",
  description: "A person who can sign in.",
  table: "users",
  idAsText: false,
  fields: [
    { name: "Id", column: "id", type: "int32", description: "Unique identifier of the user.", readOnly: true },
    text("Name", "name", "Full name.", { example: "Ana Silva" }),
    // Several users may have one (docs/sign-in.md "Users and passwords"), but not with one who can sign in; indexed.
    text("Username", "username", "Login name; of a user who can sign in, that user's alone, whatever its capitals.", {
      maxLength: UNIQUE_TEXT_LIMIT,
      takesTurns: true,
      example: "ana",
    }),
    text("Email", "email", "E-mail contact.", { example: "ana@example.com" }),
    text("MobilePhone", "mobile_phone", "Mobile phone number.", { example: "+351 912 345 678" }),
    text("External_Id", "external_id", "Identifier of the user in an external system.", {
      unique: "users_external_id_key",
      example: "HR-1042",
    }),
    claim("GivenName", "given_name", "Given name, as in OpenID Connect's given_name.", "Ana"),
    claim("FamilyName", "family_name", "Family name, as in family_name.", "Silva"),
    claim("Locale", "locale", "Language and region, as in locale: a BCP 47 tag.", "pt-PT"),
    claim("ZoneInfo", "zone_info", "Time zone, as in zoneinfo: a name of the IANA database.", "Europe/Lisbon"),
    {
      ...claim(
        "Picture",
        "picture",
        "Address of a picture of the person, as in picture.",
        "https://example.com/ana.jpg",
      ),
      isWebAddress: true,
    },
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
  form: {
    Name: { label: "Full name", needed: true },
    Username: { label: "User name", hint: "What the person signs in with.", needed: true },
    Email: { label: "E-mail", type: "email" },
    MobilePhone: { label: "Mobile phone" },
    External_Id: {
      label: "External Id",
      hint: "What another system knows the person by; nobody else may have it.",
    },
    GivenName: { label: "Given name" },
    FamilyName: { label: "Family name" },
    Locale: { label: "Language", hint: "A tag such as pt-PT." },
    ZoneInfo: { label: "Time zone", hint: "A name such as Europe/Lisbon." },
    Picture: { label: "Picture", type: "url", hint: "The address of one." },
    Department: { label: "Department" },
    Is_Active: { label: "Active", hint: "Who is not active cannot sign in." },
  },
};

/** Told to applications by the scope `profile` (OIDC Core 5.1). */
function claim(name: string, column: string, description: string, example: string): Field {
  return text(name, column, description, { isNotSearched: true, example });
}
