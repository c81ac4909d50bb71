import type { AUDITED_AS } from "../record.ts";

type Audited = (typeof AUDITED_AS)[number];

const changesOf = <As extends Audited>(audited: As) => {
  const kinds = ["Created", "Changed", "Deleted"].map((change) => [`${audited}.${change}`, "Success"]);
  return Object.fromEntries(kinds) as Record<`${As}.${"Created" | "Changed" | "Deleted"}`, "Success">;
};

/** Stable names of all kinds, and whether each is a success or a failure. */
const OUTCOME_OF = {
  "SignIn.Succeeded": "Success",
  "SignIn.Failed": "Failure",
  /** Written once when sign-ins are blocked, not for each rejected one. */
  "SignIn.Throttled": "Failure",
  /** The hour had more failures than are written. */
  "Failures.Omitted": "Failure",
  SignOut: "Success",
  "Session.Revoked": "Success",
  "SecondFactor.Enrolled": "Success",
  "SecondFactor.Removed": "Success",
  "SecondFactor.Failed": "Failure",
  "Passkey.Added": "Success",
  "Passkey.Removed": "Success",
  /** The authenticator's counter is not above its last value: the key may have been copied. */
  "Passkey.CounterWentBack": "Failure",
  "Password.Changed": "Success",
  "Password.Reset": "Success",
  /** A client gave the user a password by its hash. */
  "Password.Imported": "Success",
  /** A one-time link for setting a password was created. */
  "PasswordReset.Created": "Success",
  /** A link was asked for and not mailed. */
  "PasswordReset.Refused": "Failure",
  /** A person made their own account; `Approval` if it waits for an administrator. */
  "SignUp.Accepted": "Success",
  /** An account was asked for, and no link was mailed. */
  "SignUp.Refused": "Failure",
  /** The user receives mail at the address; `Changed` if it is new. */
  "Address.Verified": "Success",
  /** The user disowned a change of a credential by the link of a mail. */
  "Account.TakenBack": "Success",
  "RecoveryCodes.Replaced": "Success",
  "Identity.Linked": "Success",
  "Identity.Unlinked": "Success",
  /** A sign-in at a provider failed, started by a user who wanted to link it. */
  "Identity.LinkFailed": "Failure",
  "Consent.Given": "Success",
  "Grant.Revoked": "Success",
  "AuthorizationCode.Reused": "Failure",
  "Device.Allowed": "Success",
  "Device.Denied": "Success",
  "DeviceCode.Reused": "Failure",
  "RefreshToken.Reused": "Failure",
  "Token.Revoked": "Success",
  "Token.Exchanged": "Success",
  /** Written at most once a minute for each client, with the number of failures. */
  "ClientAuthentication.Failed": "Failure",
  "Client.Registered": "Success",
  /** An initial access token for dynamic registration. */
  "RegistrationToken.Created": "Success",
  "RegistrationToken.Deleted": "Success",
  /** The registration access token of an application, changed by an administrator. */
  "RegistrationAccessToken.Created": "Success",
  "RegistrationAccessToken.Deleted": "Success",
  "Credentials.Changed": "Success",
  /** The Application or User was deleted with all credentials. */
  "Credentials.Deleted": "Success",
  "Secret.Created": "Success",
  "Secret.Deleted": "Success",
  "Logout.Redelivered": "Success",
  /** Written by the command `tenant recover`. */
  "Access.Recovered": "Success",
  "TenantSettings.Changed": "Success",
  /** A person changed an Application, a User or a Department; changes by clients are in the activity log. */
  ...changesOf("Record"),
  "User.Exported": "Success",
  "Erasure.Created": "Success",
  "User.Erased": "Success",
  ...changesOf("Policy"),
  ...changesOf("Role"),
  ...changesOf("IdentityProvider"),
  ...changesOf("WebhookConnection"),
  "WebhookEvent.Redelivered": "Success",
  "WebhookConnection.Pinged": "Success",
  "WebhookConnection.Discarded": "Success",
  /** A new secret awaits verification. */
  "WebhookConnection.SecretStaged": "Success",
  /** The verifying ping was delivered, so the staged secret is active. */
  "WebhookConnection.SecretChanged": "Success",
  /** A staged secret was dropped, or a former one ended early. */
  "WebhookConnection.RotationEnded": "Success",
  "Mail.Resent": "Success",
  "Mail.Tested": "Success",
  "InvitationImport.Created": "Success",
  "InvitationImport.Changed": "Success",
  "Alert.Acknowledged": "Success",
  "Redelivery.Created": "Success",
  "Redelivery.Changed": "Success",
} as const;

export type AuditKind = keyof typeof OUTCOME_OF;
export const OUTCOMES = ["Success", "Failure"] as const;
export type AuditOutcome = (typeof OUTCOMES)[number];

export const AUDIT_KINDS = Object.keys(OUTCOME_OF) as AuditKind[];

/** Failures that anyone can cause without signing in, at any rate. */
export const STRANGERS_FAILURES: readonly AuditKind[] = [
  "SignIn.Failed",
  "SignIn.Throttled",
  "SecondFactor.Failed",
  "PasswordReset.Refused",
  "SignUp.Refused",
  "ClientAuthentication.Failed",
];

export function outcomeOf(kind: AuditKind): AuditOutcome {
  return OUTCOME_OF[kind];
}
