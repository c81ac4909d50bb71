// The services of identity for the console: those of the API's routes, and those that pages need besides.

import type { ConsoleClient } from "./oauth/console-client.ts";
import type { IssuedTokens } from "./oauth/tokens/issued.ts";
import type { Trials } from "./oauth/trial.ts";
import type { IdentityRoutes } from "./routes.ts";
import type { SettingsServices } from "./settings.ts";
import type { Cookies } from "./signin/cookies.ts";
import type { Forms } from "./signin/forms.ts";
import type { Sessions } from "./signin/session.ts";
import type { Upstream } from "./signin/upstream/upstream.ts";
import type { Tenants } from "./tenants/index.ts";

export interface IdentityServices extends IdentityRoutes, SettingsServices {
  cookies: Cookies;
  forms: Forms;
  sessions: Sessions;
  upstream: Pick<Upstream, "signOut">;
  consoleClient: ConsoleClient;
  trials: Trials;
  tenants: Tenants;
  issued: Pick<IssuedTokens, "since">;
}
