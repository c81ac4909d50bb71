// Pages with example values, in the face that they would have.

import { type Site, sites, type texts } from "../../ui/index.ts";
import { ConsentPage } from "../oauth/authorize/consent-page.tsx";
import { AccountPage } from "../signin/account/account-page.tsx";
import { DeviceCodePage, SignInPage } from "../signin/pages.tsx";

export interface PreviewedPage {
  name: string;
  scheme: sites.colours.Scheme;
  /** A whole page. */
  html: string;
}

const user = "Ana Silva";
const application = "Example application";
const form = { request: "", csrf: "", problem: undefined };

/** @param language with the tenant's own texts */
export async function previewsOf(site: Site, face: sites.Face, language: texts.Language): Promise<PreviewedPage[]> {
  const pages = { "Sign in": signIn, Consent: consent, Device: device, Account: account };
  return Promise.all(
    Object.entries(pages).flatMap(([name, page]) =>
      (["light", "dark"] as const).map(async (scheme) => {
        const dressed = { ...site, face: async () => ({ ...face, scheme }) };
        return { name, scheme, html: await sites.pageText(page(dressed, language, face)) };
      }),
    ),
  );
}

const signIn = (site: Site, language: texts.Language) => (
  <SignInPage
    {...{ ...form, site, language, application }}
    username=""
    forgottenHref="#"
    providers={[{ name: "Example", href: "#" }]}
  />
);

const consent = (site: Site, language: texts.Language) => (
  <ConsentPage
    {...{ ...form, site, language, application, user }}
    {...{
      stranger: undefined,
      links: [],
      wants: [language.t.scopes.name],
      destination: "app.example",
      userCode: undefined,
    }}
    {...{ shown: "", logo: "", logoHref: undefined, switchHref: "#" }}
  />
);

const device = (site: Site, language: texts.Language) => (
  <DeviceCodePage {...{ ...form, site, language }} action="#" code="" />
);

const account = (site: Site, language: texts.Language, { tenantName: organisation }: sites.Face) => (
  <AccountPage
    {...{
      site,
      language,
      csrf: "",
      user,
      organisation,
      factor: undefined,
      current: "",
      hasPassword: true,
    }}
    address={{ address: "ana@example.com", isVerified: true, canVerify: false, canChange: false }}
    {...{ passkeys: [], linked: [], offered: [], sessions: [], applications: [] }}
  />
);
