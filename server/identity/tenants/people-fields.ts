// Settings of a tenant about how its people sign in and sign up, and about mails to them.

import { Type } from "@sinclair/typebox";
import { readUrl } from "../../platform/address.ts";
import { type FieldOptions, field, oneOf, orNull, title, word } from "../../platform/http/fields.ts";
import { isMailAddress, MAX_MAIL_ADDRESS } from "../../platform/mail-address.ts";
import { documented } from "../../webhooks/index.ts";

const { ALERT_KINDS } = documented;
type AlertKind = documented.AlertKind;

const MAX_DOMAINS = 50;
const MAX_RECIPIENTS = 10;
const MAX_TEXT = 500;
const MAX_URI = 2_000;
const DOMAIN = /^([A-Za-z0-9-]+\.)+[A-Za-z0-9-]{2,}$/;

/** A list of texts, separated by spaces in a form. */
function listOf(max: number, must: string, isOne: (text: string) => boolean, options: FieldOptions) {
  const schema = Type.Array(Type.String({ maxLength: MAX_MAIL_ADDRESS }), { maxItems: max });
  return field<string[], string[]>({
    ...options,
    sent: orNull(schema),
    shown: schema,
    must: `must be a list of at most ${max} ${must}.`,
    fits: (value: string[] | null) => (value ?? []).every((one) => isOne(one.trim())),
    take: (value: string[] | null) => (value ?? []).map((one) => one.trim().toLowerCase()),
    blank: [],
  });
}

function page(what: string, label: string, example: string) {
  return {
    ...title(MAX_URI, {
      description: `An https address of the organisation's ${what}. The sign-up pages link to it.`,
      audit: "value",
      form: { label, type: "url", hint: "Sign-up pages link to it." },
      example,
    }),
    refuse: (value: string | null, name: string) =>
      !value || readUrl(value)?.protocol === "https:" ? undefined : `${name} must be an https address.`,
  };
}

export const PEOPLE_FIELDS = {
  KeepSignedIn: oneOf(["Off", "Asked", "Always"], {
    description:
      "Whether a session outlives the browser: no, if the user wants it, or always. Such a session lasts seven days, also " +
      "without requests. Applies to later sign-ins.",
    audit: "value",
    judged: true,
    form: {
      label: "Keep users signed in",
      hint: "For seven days, also after the browser is closed. Otherwise a session ends with the browser, or after 8 hours without a request.",
      words: { Off: "No", Asked: "Each user decides at the sign-in", Always: "Always" },
    },
    example: "Asked",
  }),
  NewDeviceMail: oneOf(["Off", "On"], {
    description:
      "Whether users get a mail at their verified address when they sign in in a browser for the first time.",
    audit: "value",
    judged: true,
    form: {
      label: "Mail about a sign-in on a new device",
      words: { Off: "No", On: "To users with a verified address" },
    },
    example: "On",
  }),
  SignUp: oneOf(["Off", "Invited", "Domains", "Approval"], {
    description:
      "The people that can make an account on the sign-in page. Invited: an address with an open invitation gets its link again. Domains: " +
      "also addresses at SignUpDomains. Approval: every address, and the User is inactive until an administrator activates it.",
    audit: "value",
    judged: true,
    form: {
      label: "People make their own account",
      hint: "On the sign-in page, with a link to their mail address. Needs mail.",
      words: {
        Off: "No",
        Invited: "Only invited addresses, which get their link again",
        Domains: "Addresses at the domains below",
        Approval: "Every address, with approval by an administrator",
      },
    },
    example: "Domains",
  }),
  SignUpDomains: listOf(MAX_DOMAINS, "domains such as example.com", (text) => DOMAIN.test(text), {
    description: "With SignUp Domains, the domains of the addresses. A domain does not include its subdomains.",
    audit: "value",
    form: { label: "Domains for sign-up", hint: "Separated by spaces, without subdomains." },
    example: ["example.com"],
  }),
  ConsentText: title(MAX_TEXT, {
    description: "The text that people agree to when they make an account, such as accepting the terms; empty: none.",
    audit: "value",
    form: { label: "Consent at sign-up", hint: "People check a box with this text. Empty: no box." },
    example: "I accept the terms of Acme Ltd.",
  }),
  TermsUri: page("terms", "Address of your terms", "https://acme.example.com/terms"),
  PrivacyUri: page("privacy policy", "Address of your privacy policy", "https://acme.example.com/privacy"),
  AlertMailKinds: field<AlertKind[], AlertKind[]>({
    description: "AlertMailTo get a mail when an alert of these kinds is raised.",
    sent: orNull(Type.Array(word(ALERT_KINDS))),
    shown: Type.Array(word(ALERT_KINDS)),
    must: `must be a list of ${ALERT_KINDS.join(", ")}.`,
    take: (value: AlertKind[] | null) => [...new Set(value ?? [])],
    blank: [],
    audit: "value",
    form: { label: "Mails about alerts", hint: "When one of these is raised." },
    example: ["ConnectionHeld", "SignUps"],
  }),
  AlertMailTo: listOf(MAX_RECIPIENTS, "mail addresses such as ops@example.com", isMailAddress, {
    description: "The addresses that get mails about alerts.",
    audit: "name",
    form: { label: "Mails about alerts go to", hint: "Mail addresses, separated by spaces." },
    example: ["ops@example.com"],
  }),
};
