// One attempt of one logout: sign, post (OIDC Back-Channel Logout 2.5).

import type { Egress } from "../egress/index.ts";
import type { TenantId } from "../ids.ts";
import type { IssueLogoutToken } from "../oauth/index.ts";
import { type AttemptResult, resultOf, type Unsent } from "../webhooks/index.ts";
import type { OpenLogout } from "./store.ts";

export interface AttemptLogout {
  /** By a token that is good for two minutes, so each attempt has its own. */
  sign: IssueLogoutToken;
  /** @param token of this attempt */
  post(tenantId: TenantId, logout: OpenLogout, token: string, signal: AbortSignal): Promise<AttemptResult | Unsent>;
}

/** @param timeoutMs that one attempt may take */
export function createAttemptLogout(egress: Egress, sign: IssueLogoutToken, timeoutMs: number): AttemptLogout {
  return {
    sign,
    async post(tenantId, { uri, number, isStrangers }, token, signal) {
      const startedOn = new Date();
      const outcome = await (isStrangers ? egress.forStrangers : egress).post({
        ...{ tenantId, url: uri, timeoutMs, signal },
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ logout_token: token }).toString(),
      });
      return resultOf(outcome, {
        number,
        startedOn,
        url: uri,
        secrets: [token, ...new URL(uri).searchParams.values()].filter(Boolean),
      });
    },
  };
}
