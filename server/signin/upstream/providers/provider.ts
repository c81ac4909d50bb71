export const PROVIDER_TYPES = ["OpenIDConnect", "OAuth2"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];
export const PROVISIONINGS = ["Create", "LinkOnly"] as const;
export type Provisioning = (typeof PROVISIONINGS)[number];

/** How a client sends its secret to a token endpoint (RFC 6749 2.3.1). */
export const SECRET_METHODS = ["client_secret_basic", "client_secret_post"] as const;
export const AUTH_METHODS = [...SECRET_METHODS, "private_key_jwt"] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** Targets of a claim mapping: a User's fields, the subject, and whether Email is verified. */
export const MAPPED = [
  "Subject",
  "Name",
  "Username",
  "Email",
  "EmailVerified",
  "MobilePhone",
  "External_Id",
  "GivenName",
  "FamilyName",
  "Locale",
  "ZoneInfo",
  "Picture",
] as const;
type Mapped = (typeof MAPPED)[number];
export type MappedField = Exclude<Mapped, "Subject" | "EmailVerified">;
export const MAPPED_FIELDS = MAPPED.filter(
  (name): name is MappedField => name !== "Subject" && name !== "EmailVerified",
);
export type Mapping = Partial<Record<Mapped, string>>;

export interface Provider {
  id: number;
  name: string;
  externalId: string | null;
  type: ProviderType;
  issuer: string | null;
  authorizationEndpoint: string | null;
  tokenEndpoint: string | null;
  userinfoEndpoint: string | null;
  clientId: string;
  /** Sealed; null: a public client. */
  clientSecret: Uint8Array | null;
  /** null: as the metadata says. */
  tokenEndpointAuthMethod: AuthMethod | null;
  /** Sealed: the private JWK for private_key_jwt; null with any other method. */
  clientKey: Uint8Array | null;
  authorizationParameters: Record<string, string>;
  scopes: string[];
  mapping: Mapping;
  provisioning: Provisioning;
  /** Creates Users only for addresses in these domains, in lower case; empty: no restriction. */
  allowedDomains: string[];
  /** Creates Users only for members of these organisations (`hd`, `tid`); empty: no restriction. */
  allowedTenants: string[];
  requireVerifiedEmail: boolean;
  /** Users of an application with this provider may also sign in by password. */
  allowLocal: boolean;
  /** Signing out here also signs the user out at the provider (OpenID Connect RP-Initiated Logout 1.0). */
  signOut: boolean;
  isActive: boolean;
}
