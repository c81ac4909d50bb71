// What the API answers of a User's sign-in.

import { Type } from "@sinclair/typebox";
import { ABSTRACT_TEXT, time, uuid, word } from "../../http/fields.ts";

export const RESET = Type.Object(
  { Url: Type.String({ description: "To be given to the User, and nobody else." }), ExpiresOn: time() },
  { $id: "PasswordReset" },
);
export const EXAMPLE_RESET = {
  Url: "https://id.example.com/account/reset?token=Xb3…",
  ExpiresOn: "2026-01-31T13:00:00.000Z",
};

export const FACTOR = Type.Object(
  {
    Type: word(["TOTP"]),
    EnrolledOn: time(),
    RecoveryCodes: Type.Integer({ format: "int32", description: "Those not used yet." }),
  },
  { $id: "SecondFactor" },
);
export const EXAMPLE_FACTOR = { Type: "TOTP", EnrolledOn: "2026-01-31T12:00:00.000Z", RecoveryCodes: 10 };

export const SESSION = Type.Object(
  {
    Id: uuid(),
    Device: Type.String({ description: "What the browser calls itself, in words." }),
    UserAgent: Type.String({ description: "The head of what the browser calls itself." }),
    Address: Type.String({ description: "Where the User signed in; of IPv6 the /64." }),
    StartedOn: time(),
    LastSeen: time("To the minute."),
    Amr: Type.Array(Type.String(), { description: "How the User was authenticated (RFC 8176)." }),
    Acr: word(["1", "2"], { description: "By how many factors." }),
  },
  { $id: "Session" },
);
export const EXAMPLE_SESSION = {
  Id: "0197c6f3-0a1b-7c2d-8e3f-405162738495",
  Device: "Firefox on Linux",
  UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  Address: "203.0.113.7",
  StartedOn: "2026-01-31T12:00:00.000Z",
  LastSeen: "2026-01-31T12:30:00.000Z",
  Amr: ["pwd", "otp", "mfa"],
  Acr: "2",
};

export const IDENTITY = Type.Object(
  {
    Id: Type.String(),
    IdentityProvider: ABSTRACT_TEXT,
    Subject: Type.String({ description: "What the provider calls the User." }),
    LinkedOn: time(),
    Is_Usable: Type.Boolean({ description: "The provider is switched on, and still the one that was linked." }),
  },
  { $id: "Identity" },
);
export const EXAMPLE_IDENTITY = {
  Id: "mJ0mVb5x2qg0V0l1sZbX1m3h0rRj1pTq8v7wqF3bO0k",
  IdentityProvider: { Id: "1001", ExternalId: "", Name: "Contoso", Type: "IdentityProvider" },
  Subject: "248289761001",
  LinkedOn: "2026-01-31T12:00:00.000Z",
  Is_Usable: true,
};

export const ENDED = Type.Object(
  { Ended: Type.Integer({ format: "int32", description: "How many sessions there were." }) },
  { $id: "EndedSessions" },
);
