import { canSignInAnew } from "../../signin/index.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { type SignInState, signInPage } from "./pages.tsx";
import { wantsFreshSignIn } from "./send-to-provider.ts";
import type { Target } from "./target.ts";

/** The sign-in page, with the tenant's providers beside the form; an application that has one of its own shows no other. */
export async function showSignIn(
  { endpoints: { site }, forms, upstream }: Pick<AuthorizeDependencies, "endpoints" | "forms" | "upstream">,
  request: Request,
  target: Target,
  checked: AuthorizationRequest,
  state: SignInState,
): Promise<Response> {
  const { tenantId, identityProvider } = checked.client;
  const offered = identityProvider ? [] : await upstream.offered(tenantId);
  const providers = wantsFreshSignIn(checked) ? offered.filter(canSignInAnew) : offered;
  return signInPage(site, target, checked, forms.protect(request), providers, state);
}
