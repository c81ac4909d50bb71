import { readDate } from "../http/dates.ts";
import {
  boolean,
  type EntityDefinition,
  type EntityField,
  serverDate,
  text,
  UNIQUE_TEXT_LIMIT,
  WEB_ADDRESS_SHAPE,
} from "./definition.ts";

/** OpenID Connect Core 5.1: birthdate; the year 0000 means that it is not known. */
const BIRTH_DATE = {
  pattern: /^\d{4}(-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))?$/,
  fits: (text: string) => text.length === 4 || readDate(`${text.replace(/^0000/, "2000")}T00:00:00Z`) !== undefined,
  must: "must be a date such as 1990-05-31, a year, or null.",
};

const ATTRIBUTES =
  "What the tenant's UserAttributes name: a text, a number, true or false, or a list of texts each. In a body, those that " +
  "it leaves out stay, and null removes one.";

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
    webAddress(
      "Picture",
      "picture",
      "Address of a picture of the person, as in picture.",
      "https://example.com/ana.jpg",
    ),
    claim("MiddleName", "middle_name", "Middle name, as in middle_name.", "Maria"),
    claim("Nickname", "nickname", "Casual name, as in nickname.", "Nana"),
    webAddress("Profile", "profile", "Address of a page about the person, as in profile.", "https://example.com/ana"),
    webAddress("Website", "website", "Address of the person's own site, as in website.", "https://ana.example.com"),
    claim("Gender", "gender", "Gender, as in gender.", "female"),
    { ...claim("BirthDate", "birth_date", "Date or year of birth, as in birthdate.", "1990-05-31"), shape: BIRTH_DATE },
    claim("Address", "address", "Postal address, as in formatted of address; it may have several lines.", "Lisboa"),
    {
      ...boolean("EmailVerified", "email_verified", "Whether Email is known to be the user's own; a new one is not."),
      vouchesFor: "email",
    },
    {
      ...boolean("MobilePhoneVerified", "mobile_phone_verified", "The same of MobilePhone."),
      vouchesFor: "mobile_phone",
    },
    { name: "Attributes", column: "attributes", type: "attributes", description: ATTRIBUTES },
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
    EmailVerified: { label: "This address is known to be the person's own", hint: "Applications are told so." },
    MobilePhone: { label: "Mobile phone" },
    MobilePhoneVerified: { label: "This number is known to be the person's own", hint: "Applications are told so." },
    External_Id: {
      label: "External Id",
      hint: "What another system knows the person by; nobody else may have it.",
    },
    GivenName: { label: "Given name" },
    FamilyName: { label: "Family name" },
    Locale: { label: "Language", hint: "A tag such as pt-PT." },
    ZoneInfo: { label: "Time zone", hint: "A name such as Europe/Lisbon." },
    Picture: { label: "Picture", type: "url", hint: "The address of one." },
    MiddleName: { label: "Middle name" },
    Nickname: { label: "Nickname" },
    Profile: { label: "Profile", type: "url", hint: "The address of a page about the person." },
    Website: { label: "Website", type: "url" },
    Gender: { label: "Gender" },
    BirthDate: { label: "Date of birth", hint: "A date such as 1990-05-31, or a year." },
    Address: { label: "Postal address", rows: 3 },
    Attributes: { label: "Attributes" },
    Department: { label: "Department" },
    Is_Active: { label: "Active", hint: "Inactive users cannot sign in." },
  },
};

/** Told to applications by the scope `profile` or `address` (OIDC Core 5.1). */
function claim(name: string, column: string, description: string, example: string): EntityField {
  return text(name, column, description, { isNotSearched: true, example });
}

function webAddress(name: string, column: string, description: string, example: string): EntityField {
  return { ...claim(name, column, description, example), shape: WEB_ADDRESS_SHAPE };
}
