// The pages for signing in a device: typing its code, and the result.

import { readForm } from "../../../platform/http/body.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import { originOf, recordAudit } from "../../../records/index.ts";
import { MessagePage, pageResponse, texts } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { forgiveGuess, type Guesser, takeGuess } from "../../signin/guesses.ts";
import { DeviceCodePage } from "../../signin/pages.tsx";
import type { Session, Visitor } from "../../signin/session.ts";
import { type Trouble, throttled } from "../../signin/throttle.ts";
import type { Checked } from "./authorization-request.ts";
import { type AskedAccess, giveConsent, noteMissing } from "./consent-question.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { decideDevice } from "./device.store.ts";
import { over } from "./device.ts";
import { DEVICE_CONTINUE_PATH, DEVICE_DONE_PATH, DEVICE_PATH, goTo } from "./parameters.ts";

type Dependencies = Pick<AuthorizeDependencies, "sql" | "endpoints" | "forms" | "sessions" | "devices">;

export function devicePages(deps: Dependencies): Pages {
  return {
    [DEVICE_PATH]: {
      async get(request) {
        // Only a signed-in user's organisation is known yet; its face is on the page.
        await deps.sessions.find(request);
        return codePage(deps, request, requestUrl(request).searchParams.get("user_code") ?? "");
      },
      post: (request, visitor) => takeCode(deps, request, visitor),
    },
    [DEVICE_DONE_PATH]: {
      async get(request) {
        await deps.sessions.find(request);
        return donePage(deps, request);
      },
    },
  };
}

function donePage({ endpoints: { site } }: Dependencies, request: Request): Promise<Response> {
  const isAllowed = requestUrl(request).searchParams.get("decision") === "allow";
  const language = texts.speak(request);
  const { t } = language;
  const heading = isAllowed ? t.deviceSignedIn : t.deviceNotSignedIn;
  const lines = [isAllowed ? t.deviceBack : t.deviceNoAccess];
  return pageResponse(<MessagePage {...{ site, language, heading, lines }} />);
}

function codePage({ endpoints: { site }, forms }: Dependencies, request: Request, typed: string, trouble?: Trouble) {
  const { csrf, cookies } = forms.protect(request);
  texts.learn(request, { page: `${DEVICE_PATH}?${new URLSearchParams({ user_code: typed })}` });
  const shown = { site, language: texts.speak(request), csrf, code: typed, problem: trouble?.problem };
  const page = <DeviceCodePage {...shown} action={DEVICE_PATH} />;
  // The application may send its users on to an identity provider.
  return pageResponse(page, { status: trouble?.status, headers: trouble?.headers, cookies, endsElsewhere: true });
}

async function takeCode(deps: Dependencies, request: Request, { address }: Visitor): Promise<Response> {
  const { sql, sessions, devices, forms, endpoints } = deps;
  const form = await readForm(request);
  const typed = form.get("user_code") ?? "";
  const stale = forms.troubleWith(request, form.get("csrf"));
  if (stale) return codePage(deps, request, typed, stale);
  const guesser = guesserOf(await sessions.find(request), address);
  const wait = await takeGuess(sql, guesser);
  if (wait !== undefined) return codePage(deps, request, typed, throttled(wait, texts.speak(request)));
  // One text for unknown and expired codes.
  const device = await devices.find(typed);
  if (!device) return codePage(deps, request, typed, { problem: texts.speak(request).t.deviceUnknown, status: 422 });
  await forgiveGuess(sql, guesser);
  return goTo(endpoints.site, DEVICE_CONTINUE_PATH, new URLSearchParams({ device }).toString());
}

/** Signed-in users are not throttled by guesses of strangers at the same address. */
function guesserOf(session: Session | undefined, address: string): Guesser {
  return session ? { tenantId: session.tenantId, userId: session.userId } : { address };
}

/** @param asked the content of the page; undefined: the user denies @throws BadInput */
export async function answerDevice(
  deps: Pick<AuthorizeDependencies, "sql" | "endpoints" | "devices" | "log">,
  request: Request,
  checked: Checked & Required<Pick<Checked, "device">>,
  session: Session,
  asked: AskedAccess | undefined,
): Promise<Response> {
  const { client, device } = checked;
  const { tenantId, userId, authTime, amr, acr } = session;
  if (asked) noteMissing(deps.log, checked, userId, asked);
  const user = { type: "User", id: userId } as const;
  await deps.sql.beginFor(tenantId, async (tx) => {
    const grant = asked && { userId, scopes: asked.scopes, resources: asked.resources, authTime, amr, acr };
    if (!(await decideDevice(tx, tenantId, device.digest, grant))) throw over();
    if (asked && !client.firstParty) await giveConsent(tx, request, session, checked, asked);
    await recordAudit(tx, tenantId, originOf(request, { actor: user, clientId: String(client.id) }), {
      kind: asked ? "Device.Allowed" : "Device.Denied",
      subject: user,
      details: { ApplicationId: String(client.id), ...(asked && { Scopes: asked.scopes }) },
    });
  });
  deps.devices.answered(asked ? "Allowed" : "Denied");
  const decision = asked ? "allow" : "deny";
  return goTo(deps.endpoints.site, DEVICE_DONE_PATH, new URLSearchParams({ decision }).toString());
}
