export const PROVIDER_TYPES = ["OpenIDConnect", "OAuth2"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];
export const DEFAULT_SCOPES: Record<ProviderType, string[]> = {
  OpenIDConnect: ["openid", "profile", "email"],
  OAuth2: [],
};
export const PROVISIONINGS = ["Create", "LinkOnly"] as const;

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

/** OIDC Core 5.1. */
export const DEFAULT_MAPPING: Mapping = {
  Name: "name",
  Username: "preferred_username",
  Email: "email",
  EmailVerified: "email_verified",
  MobilePhone: "phone_number",
  GivenName: "given_name",
  FamilyName: "family_name",
  Locale: "locale",
  ZoneInfo: "zoneinfo",
  Picture: "picture",
};
