// What the audit log has rows of.

import type { ResourceType } from "../access/index.ts";

/** What can happen, in stable words, and whether it is what somebody wanted or what was refused. */
const OUTCOME_OF = {
  "SignIn.Succeeded": "Success",
  "SignIn.Failed": "Failure",
  /** Once for each time that attempts are blocked. */
  "SignIn.Throttled": "Failure",
  /** There were more failures in an hour than are written down. */
  "Failures.Omitted": "Failure",
  SignOut: "Success",
  "Session.Revoked": "Success",
  "SecondFactor.Enrolled": "Success",
  "SecondFactor.Removed": "Success",
  "SecondFactor.Failed": "Failure",
  "Password.Changed": "Success",
  "Password.Reset": "Success",
  /** A one-time link was made, by which a user can set a password. */
  "PasswordReset.Created": "Success",
  "RecoveryCodes.Replaced": "Success",
  "Identity.Linked": "Success",
  "Identity.Unlinked": "Success",
  /** Signing in at a provider came to nothing, by who wanted to link it. */
  "Identity.LinkFailed": "Failure",
  "Consent.Given": "Success",
  "Grant.Revoked": "Success",
  "AuthorizationCode.Reused": "Failure",
  /** What a user answered to a device without a browser. */
  "Device.Allowed": "Success",
  "Device.Denied": "Success",
  "DeviceCode.Reused": "Failure",
  "RefreshToken.Reused": "Failure",
  "Token.Revoked": "Success",
  /** A client got a token in the name of a user by another one of the user's. */
  "Token.Exchanged": "Success",
  /** Of one client it stands here once a minute at most, with how often it was. */
  "ClientAuthentication.Failed": "Failure",
  /** An application has registered itself. */
  "Client.Registered": "Success",
  /** An initial access token, by which applications register themselves. */
  "RegistrationToken.Created": "Success",
  "RegistrationToken.Deleted": "Success",
  /** The token by which a registered application changes itself, by an administrator. */
  "RegistrationAccessToken.Created": "Success",
  "RegistrationAccessToken.Deleted": "Success",
  "Credentials.Changed": "Success",
  /** The Application or User was deleted, and with it all that it could prove itself by. */
  "Credentials.Deleted": "Success",
  "Secret.Created": "Success",
  "Secret.Deleted": "Success",
  /** A logout token is sent to an Application again. */
  "Logout.Redelivered": "Success",
  /** By the command for a tenant whose settings nobody could change. */
  "Access.Recovered": "Success",
  "TenantSettings.Changed": "Success",
  /** An Application, a User or a Department, by a person; what clients do by themselves stands in the activity log. */
  "Record.Created": "Success",
  "Record.Changed": "Success",
  "Record.Deleted": "Success",
  "Policy.Created": "Success",
  "Policy.Changed": "Success",
  "Policy.Deleted": "Success",
  "Role.Created": "Success",
  "Role.Changed": "Success",
  "Role.Deleted": "Success",
  "IdentityProvider.Created": "Success",
  "IdentityProvider.Changed": "Success",
  "IdentityProvider.Deleted": "Success",
  "WebhookConnection.Created": "Success",
  "WebhookConnection.Changed": "Success",
  "WebhookConnection.Deleted": "Success",
  "WebhookEvent.Redelivered": "Success",
  "WebhookConnection.Pinged": "Success",
  /** A new secret waits for its proof. */
  "WebhookConnection.SecretStaged": "Success",
  /** The ping that was to prove a staged secret was delivered: the secret is in force. */
  "WebhookConnection.SecretChanged": "Success",
  /** A staged secret was given up, or a former one ended before its time. */
  "WebhookConnection.RotationEnded": "Success",
  /** Somebody sees to it. */
  "Alert.Acknowledged": "Success",
  "Redelivery.Created": "Success",
  "Redelivery.Changed": "Success",
} as const;

export type AuditKind = keyof typeof OUTCOME_OF;
export const OUTCOMES = ["Success", "Failure"] as const;
export type AuditOutcome = (typeof OUTCOMES)[number];

export const AUDIT_KINDS = Object.keys(OUTCOME_OF) as AuditKind[];

/** Those that anybody can cause without signing in, as often as they like. */
export const STRANGERS_FAILURES: readonly AuditKind[] = [
  "SignIn.Failed",
  "SignIn.Throttled",
  "SecondFactor.Failed",
  "ClientAuthentication.Failed",
];

export function outcomeOf(kind: AuditKind): AuditOutcome {
  return OUTCOME_OF[kind];
}

/** What policies can say of a row of the audit log. */
export const AUDIT_RESOURCE_TYPE: ResourceType = {
  name: "AuditEvent",
  families: ["Settings"],
  attributes: [
    { name: "Id", type: "text" },
    { name: "Kind", type: "text" },
    { name: "Outcome", type: "text" },
    { name: "OccurredOn", type: "dateTime" },
  ],
};
