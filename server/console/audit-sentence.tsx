import type { AuditRecord } from "../records/index.ts";
import { Text } from "../ui/index.ts";
import type { NamedRecord, NameOf } from "./records/names.ts";
import { RecordLink } from "./records/record-link.tsx";
import { Value } from "./records/records.tsx";
import type { Visit } from "./visit.ts";

type Change<Type extends string> = `${Type}.${"Created" | "Changed" | "Deleted"}`;

function changesOf<Type extends string>(...types: Type[]) {
  const sentences = types.flatMap((type) => [
    [`${type}.Created`, "{who} added {whom}"],
    [`${type}.Changed`, "{who} changed {fields} of {whom}"],
    [`${type}.Deleted`, "{who} deleted {whom}"],
  ]);
  return Object.fromEntries(sentences) as Record<Change<Type>, string>;
}

/** Braces contain a Slot. In a pair, the first text is about another user and the second about oneself. */
const SENTENCES: Record<AuditRecord["Kind"], string | [other: string, own: string]> = {
  "SignIn.Succeeded": "{who} signed in",
  "SignIn.Failed": "Signing in as {whom} failed",
  "SignIn.Throttled": "Signing in as {whom} was blocked for a while",
  "Failures.Omitted": "More failures in an hour than the log records",
  SignOut: "{who} signed out",
  "Session.Revoked": ["{who} ended {sessions} of {whom}", "{who} ended {sessions} of their own"],
  "SecondFactor.Enrolled": ["{who} set up a second factor for {whom}", "{who} set up a second factor"],
  "SecondFactor.Removed": ["{who} removed the second factor of {whom}", "{who} removed their second factor"],
  "SecondFactor.Failed": "A wrong second factor was given for {whom}",
  "Passkey.Added": "{who} added a passkey",
  "Passkey.Removed": ["{who} removed a passkey of {whom}", "{who} removed a passkey"],
  "Passkey.CounterWentBack": "A passkey of {whom} may have been copied",
  "Password.Changed": ["{who} changed the password of {whom}", "{who} changed their password"],
  "Password.Reset": ["{who} reset the password of {whom}", "{who} set a new password by a link"],
  "Password.Imported": "{who} imported a password for {whom}",
  "PasswordReset.Created": "{who} made a password link for {whom}",
  "PasswordReset.Refused": "A password link was asked for, and not sent to {whom}",
  "InvitationImport.Created": "{who} invited people by a file",
  "InvitationImport.Changed": "{who} paused, resumed or cancelled an import of invitations",
  "SignUp.Accepted": "{who} made their own account",
  "SignUp.Refused": "An account was asked for, and no link was sent",
  "Address.Verified": ["{who} verified the mail address of {whom}", "{who} verified their mail address"],
  "Account.TakenBack": [
    "{who} protected the account of {whom}",
    "{who} disowned a change and was signed out everywhere",
  ],
  "RecoveryCodes.Replaced": ["{who} replaced the recovery codes of {whom}", "{who} replaced their recovery codes"],
  "Identity.Linked": ["{who} linked an account of {provider} to {whom}", "{who} linked their account of {provider}"],
  "Identity.Unlinked": [
    "{who} unlinked an account of {provider} from {whom}",
    "{who} unlinked their account of {provider}",
  ],
  "Identity.LinkFailed": "Linking an account of {provider} to {whom} failed",
  "Consent.Given": ["{who} gave {application} access to {whom}", "{who} gave {application} access"],
  "Grant.Revoked": ["{who} revoked the access of {application} to {whom}", "{who} revoked the access of {application}"],
  "AuthorizationCode.Reused": "An authorization code of {whom} was used twice",
  "Device.Allowed": "{who} signed in a device of {application}",
  "Device.Denied": "{who} denied a device of {application}",
  "DeviceCode.Reused": "A device code of {whom} was used twice",
  "RefreshToken.Reused": "A refresh token of {whom} was used twice",
  "Token.Exchanged": "{who} exchanged a token of {whom}",
  "Token.Revoked": "A token of {whom} was revoked",
  "ClientAuthentication.Failed": "Client authentication of {whom} failed",
  "Client.Registered": "{whom} registered itself",
  "RegistrationToken.Created": "{who} made an initial access token",
  "RegistrationToken.Deleted": "{who} deleted an initial access token",
  "RegistrationAccessToken.Created": "{who} replaced the registration access token of {whom}",
  "RegistrationAccessToken.Deleted": "{who} revoked the registration access token of {whom}",
  "Credentials.Changed": "{who} changed {fields} of {whom}",
  "Credentials.Deleted": "{who} deleted the credentials of {whom}",
  "Secret.Created": "{who} made a secret for {whom}",
  "Secret.Deleted": "{who} deleted a secret of {whom}",
  "Logout.Redelivered": "{who} sent a logout to {whom} again",
  "Mail.Resent": "{who} sent a mail again",
  "Mail.Tested": "{who} sent a test mail",
  "Access.Recovered": "Access to Settings was recovered by a command",
  "TenantSettings.Changed": "{who} changed {fields} of the organisation",
  ...changesOf("Record", "Policy", "Role", "IdentityProvider", "WebhookConnection"),
  "User.Exported": "{who} downloaded all data about {whom}",
  "Erasure.Created": "{who} began to erase {whom}",
  "User.Erased": "All data about {whom} was erased, by {who}",
  "WebhookEvent.Redelivered": "{who} sent {whom} again",
  "WebhookConnection.Pinged": "{who} sent a test event to {whom}",
  "WebhookConnection.Discarded": "{who} discarded held deliveries of {whom}",
  "WebhookConnection.SecretStaged": "{who} staged a new secret for {whom}",
  "WebhookConnection.SecretChanged": "The new secret of {whom} is in force",
  "WebhookConnection.RotationEnded": "{who} ended the secret rotation of {whom}",
  "Alert.Acknowledged": "{who} acknowledged an alert",
  "Redelivery.Created": "{who} began {whom}",
  "Redelivery.Changed": "{who} changed {fields} of {whom}",
};

export interface SentenceProps {
  visit: Visit;
  event: AuditRecord;
  name: NameOf;
}

export function Sentence({ visit, event, name }: SentenceProps): JSX.Element {
  const shared = { visit, name };
  const slots: Record<string, () => JSX.Element> = {
    who: () => <Mention {...shared} one={event.Actor} otherwise="Somebody" isFirst />,
    whom: () => <Mention {...shared} one={event.Subject} otherwise="an unknown user" />,
    provider: () => <Mention {...shared} one={detailOf(event, "IdentityProviderId")} otherwise="a provider" />,
    application: () => <Mention {...shared} one={detailOf(event, "ApplicationId")} otherwise="an application" />,
    sessions: () => <Text text={SESSIONS.get(String(event.Details.Sessions)) ?? "sessions"} />,
    fields: () => <Text text={fieldsOf(event.Details.Changed)} />,
  };
  // Odd pieces are the names in braces.
  const pieces = templateOf(event).split(/\{(\w+)\}/);
  return <>{pieces.map((piece, index) => (index % 2 === 1 ? slots[piece]!() : <Text text={piece} />)) as "safe"[]}</>;
}

function templateOf({ Kind, Actor, Subject }: AuditRecord): string {
  const sentence = SENTENCES[Kind];
  if (typeof sentence === "string") return sentence;
  const isOwn = Actor !== null && Actor.Type === Subject?.Type && Actor.Id === Subject.Id;
  return sentence[isOwn ? 1 : 0];
}

const SESSIONS = new Map<string, string>(
  Object.entries({ One: "a session", All: "all sessions", Others: "the other sessions" }),
);

/** The maximum number of fields in a sentence; the row's own page has all of them. */
const MAX_FIELDS = 3;

/** Details of a record that the reader may not see are omitted. */
function fieldsOf(changed: unknown): string {
  if (!Array.isArray(changed) || changed.length === 0) return "something";
  const more = changed.length - MAX_FIELDS;
  const named = changed.slice(0, MAX_FIELDS).map(String);
  const all = more > 0 ? [...named, `${more} more`] : named;
  return [...(all.length > 1 ? [all.slice(0, -1).join(", ")] : []), all.at(-1)].join(" and ");
}

/** Details that contain a record's Id, with the record's type. */
const ID_DETAILS = new Map<string, string>(
  Object.entries({
    ApplicationId: "Application",
    IdentityProviderId: "IdentityProvider",
    ConnectionId: "WebhookConnection",
  }),
);

export function detailOf({ Details }: Pick<AuditRecord, "Details">, field: string): NamedRecord | null {
  const id = Details[field];
  const type = ID_DETAILS.get(field);
  return type !== undefined && (typeof id === "string" || typeof id === "number") ? { Type: type, Id: id } : null;
}

export function detailsNamed(event: Pick<AuditRecord, "Details">): NamedRecord[] {
  return [...ID_DETAILS.keys()].flatMap((field) => detailOf(event, field) ?? []);
}

const NOUNS = new Map<string, string>(
  Object.entries({
    WebhookConnection: "connection",
    IdentityProvider: "identity provider",
  }),
);

interface MentionProps {
  visit: Visit;
  one: NamedRecord | null;
  /** The text if there is no record. */
  otherwise: string;
  name: NameOf;
  /** Whether the sentence starts here. */
  isFirst?: boolean;
}

/** Type and name; for a user only the name. */
function Mention({ visit, one, otherwise, name, isFirst }: MentionProps): JSX.Element {
  if (one === null) return <Text text={otherwise} />;
  const isAlone = one.Type === "User" || name.known(one) === undefined;
  const noun = isAlone ? "" : `${isFirst ? one.Type : (NOUNS.get(one.Type) ?? one.Type.toLowerCase())} `;
  return (
    <>
      <Text text={noun} />
      <RecordLink visit={visit} one={one} name={name} />
    </>
  );
}

export interface FieldChange {
  field: string;
  before: string;
  after: string;
}

const NOT_KEPT = "not kept";

export function fieldChangesOf({ Details }: AuditRecord, words: (value: unknown) => string): FieldChange[] {
  const { Changed } = Details;
  if (!Array.isArray(Changed)) return [];
  return Changed.map(String).map((field) => ({ field, ...beforeAndAfter(Details[field], words) }));
}

function beforeAndAfter(value: unknown, words: (value: unknown) => string): Omit<FieldChange, "field"> {
  if (typeof value !== "object" || value === null) return { before: NOT_KEPT, after: NOT_KEPT };
  const { From, To, Added, Removed } = value as Record<string, unknown>;
  if (!Array.isArray(Added) || !Array.isArray(Removed)) return { before: words(From), after: words(To) };
  const listed = (verb: string, list: unknown[]) => (list.length > 0 ? `${verb} ${words(list)}` : "");
  return { before: listed("removed:", Removed), after: listed("added:", Added) };
}

export const FIELD_CHANGE_COLUMNS = [
  { name: "Field", cell: ({ field }: FieldChange) => <Text text={field} /> },
  { name: "Before", cell: ({ before }: FieldChange) => <Value text={before} /> },
  { name: "After", cell: ({ after }: FieldChange) => <Value text={after} /> },
];
