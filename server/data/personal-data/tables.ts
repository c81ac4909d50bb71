// Declares the data about a person in each table. Exports are made from it, and a test compares it with the schema, so
// a new table needs an entry. Those of declared kinds follow from their declarations.

import { API } from "../../identity/index.ts";
import { inSnakeCase } from "../../platform/http/fields.ts";
import { type Declaration, ENTITIES, POLICY, ROLE, recordFields } from "../../records/index.ts";

/** Rows that are about one User, by a column. */
export interface PersonalRows {
  /** The file in an export. */
  file: string;
  /** The column with the User's Id, or with the key of a row in `through`. */
  column: string;
  through?: { table: string; key: string };
  /** Columns in an export, in its order. */
  exported: readonly string[];
  /** Hosts and answers of an application's servers, which the person's own file leaves out. */
  notOwn?: readonly string[];
  /** Secrets, digests and technical data; not in an export. */
  withheld: readonly string[];
  /** The API's names of columns, where they differ from the usual form. */
  names?: Readonly<Record<string, string>>;
  /** Columns with the Id of a User who changed the row, without further data about that User. */
  mentions?: readonly string[];
}

/** A table that is not read by a column; `how` describes the person's data in it. */
export interface OtherTable {
  how: /** Read by the service that owns it, and shown as its routes show it. */
    | { file: "WebhookEvents" | "AuditEvents" }
    /** Has the data without the User's Id, until it expires. */
    | { expires: string }
    /** The Id of a User who changed the row, and no other data about that User. */
    | { mentions: readonly string[] }
    /** No data about a person. */
    | "Nothing";
}

export type TableDeclaration = PersonalRows | OtherTable;

const NOTHING: OtherTable = { how: "Nothing" };
const STAMPS = ["created_by_id", "modified_by_id"] as const;
const EVENTS: OtherTable = { how: { file: "WebhookEvents" } };

const TABLES = {
  users: {
    file: "User",
    column: "id",
    exported: [
      ...["id", "name", "username", "email", "mobile_phone", "external_id", "given_name", "family_name", "locale"],
      ...["zone_info", "picture", "middle_name", "nickname", "profile", "website", "gender", "birth_date", "address"],
      ...["email_verified", "mobile_phone_verified", "attributes", "department_id", "created_on", "modified_on"],
      ...["last_login", "is_active"],
    ],
    withheld: ["username_key", "search_text", "sequence", "created_by_type", "modified_by_type", ...STAMPS],
    names: {
      external_id: "External_Id",
      created_on: "Creation_Date",
      last_login: "Last_Login",
      is_active: "Is_Active",
    },
    mentions: STAMPS,
  },
  // Encrypts the person's data in the audit log.
  personal_keys: { file: "PersonalKeys", column: "user_id", exported: ["user_id"], withheld: ["key"] },
  passwords: {
    file: "Passwords",
    column: "user_id",
    exported: ["user_id", "imported_on", "valid_until"],
    withheld: ["hash"],
  },
  password_resets: {
    file: "PasswordResets",
    column: "user_id",
    exported: ["address", "expires_on"],
    withheld: ["digest", "is_mailed"],
  },
  invitations: {
    file: "Invitations",
    column: "user_id",
    exported: ["id", "email", "name", "roles", "department_id", "state", "created_on", "expires_on", "user_id"],
    withheld: [
      ...["digest", "asked_digest", "client_id", "sequence", "modified_on", "created_by_type", "modified_by_type"],
      ...STAMPS,
    ],
    mentions: STAMPS,
  },
  mailed_links: {
    file: "MailedLinks",
    column: "user_id",
    exported: ["purpose", "address", "expires_on"],
    withheld: ["id", "digest"],
  },
  sign_ups: {
    file: "SignUps",
    column: "user_id",
    exported: ["email", "created_on"],
    withheld: ["id", "digest", "user_id", "expires_on"],
  },
  totp_secrets: {
    file: "SecondFactors",
    column: "user_id",
    exported: ["created_on"],
    withheld: ["secret", "last_step", "recovery_key"],
  },
  passkey_handles: {
    file: "PasskeyHandles",
    column: "user_id",
    exported: ["user_id", "asked_on"],
    withheld: ["handle"],
  },
  passkeys: {
    file: "Passkeys",
    column: "user_id",
    exported: ["id", "name", "aaguid", "is_synced", "transports", "rp_id", "created_on", "last_used_on"],
    withheld: ["credential_id", "public_key", "sign_count"],
  },
  used_challenges: NOTHING,
  recovery_codes: { file: "RecoveryCodes", column: "user_id", exported: ["user_id"], withheld: ["digest"] },
  sessions: {
    file: "Sessions",
    column: "user_id",
    exported: [
      ...["id", "created_on", "last_seen", "expires_on", "finished_on", "address", "user_agent", "auth_time", "amr"],
      ...["acr", "identity_provider_id", "is_kept", "passkey_id"],
    ],
    withheld: ["digest", "id_token_hint", "is_auth_time_known"],
  },
  settings_sessions: {
    file: "SettingsSessions",
    column: "session_id",
    through: { table: "sessions", key: "id" },
    exported: ["session_id"],
    withheld: ["digest", "family_id"],
  },
  session_clients: {
    file: "SessionApplications",
    column: "session_id",
    through: { table: "sessions", key: "id" },
    exported: ["session_id", "client_id", "sid"],
    withheld: [],
  },
  known_devices: {
    file: "KnownBrowsers",
    column: "user_id",
    exported: ["address", "last_seen"],
    withheld: ["digest"],
  },
  upstream_identities: {
    file: "Identities",
    column: "user_id",
    exported: ["identity_provider_id", "authority", "subject", "provisioned", "linked_on"],
    withheld: [],
  },
  consents: {
    file: "Consents",
    column: "user_id",
    exported: ["client_id", "scopes", "resources", "claims", "destinations", "granted_on"],
    withheld: [],
  },
  consent_withdrawals: {
    file: "ConsentWithdrawals",
    column: "user_id",
    exported: ["client_id", "withdrawn_on"],
    withheld: [],
  },
  authorization_codes: {
    file: "AuthorizationCodes",
    column: "user_id",
    exported: [
      ...["client_id", "session_id", "redirect_uri", "response_type", "scope", "scopes", "claims", "resources"],
      ...["auth_time", "amr", "acr", "expires_on", "used_on"],
    ],
    withheld: ["digest", "redirect_uri_sent", "nonce", "code_challenge", "family_id", "dpop_jkt"],
  },
  device_codes: {
    file: "Devices",
    column: "user_id",
    exported: ["client_id", "scopes", "resources", "decided_on", "auth_time", "amr", "acr", "expires_on", "used_on"],
    withheld: ["digest", "user_code", "interval_seconds", "polled_on", "family_id", "network"],
  },
  refresh_families: {
    file: "Grants",
    column: "user_id",
    exported: [
      ...["id", "application_id", "scopes", "resources", "userinfo_claims", "session_id", "auth_time", "acr", "amr"],
      ...["started_on", "rotated_on", "expires_on", "revoked_on"],
    ],
    withheld: ["generation", "former", "jkt"],
  },
  ...tablesOf([...ENTITIES.filter(({ name }) => name !== "User"), POLICY, ROLE, API]),
  logouts: {
    file: "Logouts",
    column: "user_id",
    exported: ["id", "client_id", "sid", "state", "reason", "attempts", "created_on", "ended_on"],
    notOwn: ["reason"],
    withheld: ["earlier_attempts", "run", "attempt_opened_by", "retry_on", "lease_until"],
  },
  logout_attempts: {
    file: "LogoutAttempts",
    column: "logout_id",
    through: { table: "logouts", key: "id" },
    exported: [
      ...["logout_id", "number", "started_on", "duration_ms", "status_code", "failure", "response_headers"],
      "response_body",
    ],
    notOwn: ["response_headers", "response_body"],
    withheld: [],
  },
  mails: {
    file: "Mails",
    column: "user_id",
    exported: ["id", "kind", "recipient", "state", "reason", "message_id", "attempts", "created_on", "ended_on"],
    withheld: [
      ...["content", "expires_on", "earlier_attempts", "run", "attempt_opened_by", "retry_on", "lease_until"],
      "started_on",
    ],
    notOwn: ["reason"],
    names: { recipient: "To" },
  },
  mail_attempts: {
    file: "MailAttempts",
    column: "mail_id",
    through: { table: "mails", key: "id" },
    exported: ["mail_id", "number", "started_on", "duration_ms", "status_code", "failure", "response"],
    notOwn: ["response"],
    withheld: [],
  },

  events: EVENTS,
  payloads: EVENTS,
  deliveries: EVENTS,
  attempts: EVENTS,
  responses: EVENTS,
  audit_log: { how: { file: "AuditEvents" } },
  invitation_imports: { how: { mentions: ["created_by_id"] } },
  invitation_import_rows: {
    how: { expires: "addresses and names of people, until they are invited; of skipped ones for 30 days" },
  },
  audit_places: { how: { expires: "addresses and user agents of unauthenticated callers, for 30 days" } },

  signin_failures: { how: { expires: "digests of guessed values, for a day after the last guess" } },
  upstream_attempts: { how: { expires: "claims from an identity provider, until the sign-in has ended or expired" } },
  pushed_requests: { how: { expires: "parameters of an authorization request, such as login_hint, for some minutes" } },

  branding_versions: { how: { mentions: ["saved_by_id"] } },
  policy_versions: { how: { mentions: ["saved_by_id"] } },
  alerts: { how: { mentions: ["acknowledged_by_id"] } },

  erasures: { how: { mentions: ["created_by_id", "user_id"] } },
  erasure_events: NOTHING,
  audit_chain: NOTHING,
  migrations: NOTHING,
  removals: NOTHING,
  kept_days: NOTHING,
  kept_totals: NOTHING,
  tenant_counts: NOTHING,
  tenant_usage: NOTHING,
  measured_partitions: NOTHING,
  tenants: NOTHING,
  identity_providers: NOTHING,
  credentials: NOTHING,
  client_secrets: NOTHING,
  revoked_tokens: NOTHING,
  signing_keys: NOTHING,
  webhook_connections: NOTHING,
  webhook_connection_changes: NOTHING,
  sent_sequences: NOTHING,
  failed_filters: NOTHING,
  // Answers to requests.
  idempotency_keys: { how: { expires: "answers to requests, until an erasure, or for 24 hours" } },
  dispatches: NOTHING,
  former_outcomes: NOTHING,
  outcome_hours: NOTHING,
  counted_outcomes: NOTHING,
  receiver_checks: NOTHING,
  redeliveries: NOTHING,
  delivery_troubles: NOTHING,
  worker_windows: NOTHING,
  requests: NOTHING,
  used_jwts: NOTHING,
  used_dpop_proofs: NOTHING,
  issued_tokens: NOTHING,
  resting_audiences: NOTHING,
  registration_tokens: NOTHING,
  registered_clients: NOTHING,
  open_registrations: NOTHING,
} satisfies Record<string, TableDeclaration>;

export const PERSONAL_DATA: ReadonlyMap<string, TableDeclaration> = new Map(Object.entries(TABLES));

export const PERSONAL_ROWS = [...PERSONAL_DATA].flatMap(([table, declared]) =>
  "how" in declared ? [] : [{ table, ...declared }],
);

/** The tables of declared kinds: a record has the Ids of Users, and a list of Users is about each of them. */
export function tablesOf(
  kinds: readonly Pick<Declaration, "name" | "table" | "references" | "field">[],
): Record<string, TableDeclaration> {
  const columnOf = (type: string) => `${inSnakeCase(type)}_id`;
  const tables = kinds.flatMap(({ name, table, references, field }): [string, TableDeclaration][] => {
    const users = references.filter(({ target }) => target === "User").map(({ column }) => inSnakeCase(column));
    const lists = Object.values(field).flatMap(({ list }) => (list?.of.includes("User") ? [list] : []));
    return [
      [table, { how: { mentions: [...STAMPS, ...users] } }],
      ...lists.map(({ of, through }): [string, TableDeclaration] => {
        const others = of.filter((type) => type !== "User").map((type) => recordFields.memberColumn(name, type));
        return [
          through,
          { file: `${name}s`, column: columnOf("User"), exported: [columnOf(name)], withheld: ["id", ...others] },
        ];
      }),
    ];
  });
  return Object.fromEntries(tables);
}
