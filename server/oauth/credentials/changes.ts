// What a change of credentials comes to, and whether its fields fit together.

import { BadInput } from "../../errors.ts";
import type { ClientType, Credentials } from "../store.ts";
import { CREDENTIALS, type CredentialsInput } from "./contract.ts";
import { defaultsOf } from "./defaults.ts";
import { redirectUriProblem } from "./redirect-uri.ts";

/** A client that can no longer use client_credentials loses it, if nobody had chosen its grants. */
export function changedCredentials(before: Credentials, input: CredentialsInput): Credentials {
  const changes = CREDENTIALS.toColumns(input) as { [name in keyof Credentials]?: Credentials[name] | null };
  const clientType = changes.clientType === null ? "confidential" : (changes.clientType ?? before.clientType);
  const defaults = defaultsOf(clientType);
  const isChosen = before.grantTypes.join() !== defaultsOf(before.clientType).grantTypes.join();
  const unchosen = isChosen || clientType === "confidential" ? {} : { grantTypes: defaults.grantTypes };
  const given = Object.entries(changes).map(([name, value]) => [name, value ?? defaults[name as keyof Credentials]]);
  return { ...before, ...unchosen, ...Object.fromEntries(given) };
}

/**
 * Whether the fields fit together.
 * @throws BadInput naming all that do not
 */
export function requireSound({ clientType, grantTypes, redirectUris, postLogoutRedirectUris }: Credentials): void {
  const problems = [
    ...uriProblems("RedirectUris", redirectUris, clientType),
    ...uriProblems("PostLogoutRedirectUris", postLogoutRedirectUris, clientType),
  ];
  // RFC 6749 4.4.
  if (clientType !== "confidential" && grantTypes.includes("client_credentials")) {
    problems.push(`GrantTypes has client_credentials, which a ${clientType} client cannot use.`);
  }
  if (problems.length > 0) throw new BadInput(...problems);
}

function uriProblems(field: string, uris: string[], clientType: ClientType): string[] {
  return uris.flatMap((uri) => redirectUriProblem(uri, clientType) ?? []).map((problem) => `${field}: ${problem}`);
}
