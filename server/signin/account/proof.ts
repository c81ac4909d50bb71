import type { Session } from "../sessions.ts";
import { type Trouble, troubleOf, WRONG_CODE, WRONG_PASSWORD } from "../trouble.ts";
import type { AccountDependencies } from "./dependencies.ts";
import type { Visit } from "./visit.tsx";

type ProofDependencies = Pick<AccountDependencies, "ownPassword" | "secondFactor">;

/** What only the owner of an account has, and is asked for again before its ways in change. */
export async function proofAsked({ ownPassword }: ProofDependencies, session: Session) {
  return { asksPassword: await ownPassword.exists(session), asksCode: session.hasSecondFactor };
}

/** @returns why a form does not prove it; undefined if it does */
export async function troubleWithProof(
  { ownPassword, secondFactor }: ProofDependencies,
  { request, caller, session }: Visit,
  form: Map<string, string>,
): Promise<Trouble | undefined> {
  const { asksPassword, asksCode } = await proofAsked({ ownPassword, secondFactor }, session);
  if (asksPassword) {
    const result = await ownPassword.check(request, session, form.get("password") ?? "", caller);
    const trouble = troubleOf(result, WRONG_PASSWORD);
    if (trouble) return trouble;
  }
  if (!asksCode) return undefined;
  return troubleOf(await secondFactor.check(request, session, form.get("code") ?? "", caller), WRONG_CODE);
}
