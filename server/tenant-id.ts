declare const brand: unique symbol;

/** Whose a row is: a UUID that a token or a sign-in has proved, and the first argument of every store function. */
export type TenantId = string & { readonly [brand]: "TenantId" };
