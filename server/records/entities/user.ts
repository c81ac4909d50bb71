import { Type } from "@sinclair/typebox";
import { readDate } from "../../platform/http/dates.ts";
import type { Field, TextShape } from "../../platform/http/fields.ts";
import { WrongHash } from "../../platform/password-hash/derived.ts";
import { readHash } from "../../platform/password-hash/formats.ts";
import { usernameKey } from "../../platform/text.ts";
import { flagOrNull, id, reference, serverDate, text, UNIQUE_TEXT_LIMIT } from "../fields.ts";
import { record } from "../record.ts";
import { attributes } from "./attributes.ts";
import { WEB_ADDRESS_SHAPE } from "./definition.ts";

/** OpenID Connect Core 5.1: birthdate; the year 0000 means that it is not known. */
const BIRTH_DATE = {
  pattern: /^\d{4}(-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))?$/,
  fits: (text: string) => text.length === 4 || readDate(`${text.replace(/^0000/, "2000")}T00:00:00Z`) !== undefined,
  must: "must be a date such as 1990-05-31, a year, or null.",
};

const BASE32 = /^[A-Za-z2-7]{16,128}$/;

const ATTRIBUTES =
  "Values of the tenant's UserAttributes: each a text, a number, true or false, or a list of texts. Attributes omitted in a " +
  "body stay, and null removes one.";

/** docs/behaviour.md "User". */
export const user = record("User", {
  description: "A person who can sign in.",
  table: "users",
  families: ["Settings", "Tokens"],
  fields: {
    Id: id("int32", { description: "Unique identifier of the user." }),
    Name: text({ description: "Full name.", example: "Ana Silva" }),
    // Several users may share it (docs/sign-in.md "Users and passwords"), unless one of them can sign in.
    Username: text({
      description: "Login name; unique, ignoring case, for users who can sign in.",
      maxLength: UNIQUE_TEXT_LIMIT,
      isSerialized: true,
      compared: { sql: "username_key", keyOf: usernameKey },
      example: "ana",
    }),
    Email: text({ description: "E-mail contact.", example: "ana@example.com" }),
    MobilePhone: text({ description: "Mobile phone number.", example: "+351 912 345 678" }),
    External_Id: text({
      description: "Identifier of the user in an external system.",
      unique: true,
      example: "HR-1042",
    }),
    GivenName: claim("Given name, as in OpenID Connect's given_name.", "Ana"),
    FamilyName: claim("Family name, as in family_name.", "Silva"),
    Locale: claim("Language and region, as in locale: a BCP 47 tag.", "pt-PT"),
    ZoneInfo: claim("Time zone, as in zoneinfo: a name of the IANA database.", "Europe/Lisbon"),
    Picture: claim(
      "Address of a picture of the person, as in picture.",
      "https://example.com/ana.jpg",
      WEB_ADDRESS_SHAPE,
    ),
    MiddleName: claim("Middle name, as in middle_name.", "Maria"),
    Nickname: claim("Casual name, as in nickname.", "Nana"),
    Profile: claim("Address of a page about the person, as in profile.", "https://example.com/ana", WEB_ADDRESS_SHAPE),
    Website: claim("Address of the person's site, as in website.", "https://ana.example.com", WEB_ADDRESS_SHAPE),
    Gender: claim("Gender, as in gender.", "female"),
    BirthDate: claim("Date or year of birth, as in birthdate.", "1990-05-31", BIRTH_DATE),
    Address: claim("Postal address, as in address.formatted; can have several lines.", "Lisboa"),
    EmailVerified: flagOrNull({ description: "Whether Email is verified; a new Email is not.", vouchesFor: "Email" }),
    MobilePhoneVerified: flagOrNull({ description: "The same for MobilePhone.", vouchesFor: "MobilePhone" }),
    Attributes: attributes({ description: ATTRIBUTES }),
    Creation_Date: serverDate({ description: "Creation date.", column: "createdOn" }),
    Last_Login: serverDate({ description: "Last login time." }),
    Is_Active: flagOrNull({ description: "Whether the user is still active." }),
    Department: reference("Department", { description: "The department the user belongs to." }),
    PasswordHash: imported(
      "The password as another system stored it; needs the scope AccessManager:Import. A User who has set or used a " +
        "password here keeps it.",
      2_000,
      hashProblem,
    ),
    TotpSecret: imported(
      "The key of the User's authenticator app in Base32, for codes of six digits by SHA-1 each 30 s; needs the scope " +
        "AccessManager:Import. A User with a second factor keeps it.",
      128,
      (key) => (BASE32.test(key) ? undefined : "must have 16 to 128 characters of Base32."),
    ),
  },
  identifiers: ["External_Id", "Username"],
  selfMade: { how: "was made by a sign-in at an identity provider" },
  form: {
    Name: { label: "Full name", needed: true },
    Username: { label: "User name", hint: "Used to sign in.", needed: true },
    Email: { label: "E-mail", type: "email" },
    EmailVerified: { label: "This address is verified", hint: "Applications see this." },
    MobilePhone: { label: "Mobile phone" },
    MobilePhoneVerified: { label: "This number is verified", hint: "Applications see this." },
    External_Id: {
      label: "External Id",
      hint: "The person's identifier in an external system; unique.",
    },
    GivenName: { label: "Given name" },
    FamilyName: { label: "Family name" },
    Locale: { label: "Language", hint: "A tag such as pt-PT." },
    ZoneInfo: { label: "Time zone", hint: "A name such as Europe/Lisbon." },
    Picture: { label: "Picture", type: "url", hint: "The address of a picture." },
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
});

/** docs/sign-in.md "Imported passwords". @param problem is read after the field's name */
function imported(
  description: string,
  maxLength: number,
  problem: (text: string) => string | undefined,
): Field<string> {
  return {
    description,
    maxLength,
    must: "must be a text.",
    writeOnly: true,
    stored: "elsewhere",
    scope: "AccessManager:Import",
    sent: Type.String({ minLength: 1, maxLength }),
    refuse(text: string, name) {
      const found = problem(text);
      return found && `${name} ${found}`;
    },
  };
}

function hashProblem(text: string): string | undefined {
  try {
    readHash(text);
    return undefined;
  } catch (error) {
    if (error instanceof WrongHash) return error.message;
    throw error;
  }
}

/** Included in the claims of the scope `profile` or `address` (OIDC Core 5.1). */
function claim(description: string, example: string, shape?: TextShape): Field {
  return text({ description, isNotSearched: true, example, ...(shape && { shape }) });
}
