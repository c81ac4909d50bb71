import { PROVIDER, type ProviderRecord } from "../../signin/index.ts";

export type { ProviderRecord };

export const PROVIDERS = "/settings/identity-providers";

/** As people know the two protocols. */
export const TYPES: Record<ProviderRecord["Type"], string> = {
  OpenIDConnect: "OpenID Connect",
  OAuth2: "OAuth 2.0",
};

export function whoComesIn({ Provisioning }: ProviderRecord): string {
  return PROVIDER.fields.Provisioning.form!.words![Provisioning]!;
}

export function pathOf({ Id }: Pick<ProviderRecord, "Id">): string {
  return `${PROVIDERS}/${Id}`;
}

export function aboveOf(provider: ProviderRecord) {
  return [
    { name: "Identity providers", path: PROVIDERS },
    { name: provider.Name, path: pathOf(provider) },
  ];
}
