// One attempt of a logout: sign and post (OIDC Back-Channel Logout 2.5).

import { urlOf } from "../../platform/address.ts";
import type { Egress } from "../../platform/egress/index.ts";
import type { TenantId } from "../../platform/ids.ts";
import { posting } from "../../webhooks/index.ts";
import type { IssueLogoutToken } from "../oauth/tokens/logout-token.ts";
import type { OpenLogout } from "./store.ts";

export interface SendToken {
  /** Signs a new token for each attempt, because it is valid for two minutes. */
  sign: IssueLogoutToken;
  post(
    tenantId: TenantId,
    logout: OpenLogout,
    token: string,
    signal: AbortSignal,
  ): Promise<posting.AttemptResult | posting.Unsent>;
}

export function createSendToken(egress: Egress, sign: IssueLogoutToken, timeoutMs: number): SendToken {
  return {
    sign,
    async post(tenantId, { uri, number, isStrangers }, token, signal) {
      const startedOn = new Date();
      const outcome = await (isStrangers ? egress.forStrangers : egress).post({
        tenantId,
        url: uri,
        timeoutMs,
        signal,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ logout_token: token }).toString(),
      });
      return posting.resultOf(outcome, {
        number,
        startedOn,
        url: uri,
        secrets: [token, ...urlOf(uri).searchParams.values()].filter(Boolean),
      });
    },
  };
}
