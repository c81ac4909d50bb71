// The types of oidc-provider that the bench uses; the package has none.

declare module "oidc-provider" {
  class Model {
    constructor(properties: Record<string, unknown>);
    /** @returns the token's value, or the grant's id */
    save(): Promise<string>;
  }

  class Grant extends Model {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
  }

  class Session {
    constructor(properties: Record<string, unknown>);
    readonly id: string;
    loginAccount(details: { accountId: string }): void;
    ensureClientContainer(clientId: string): void;
    grantIdFor(clientId: string, grantId: string): void;
    save(seconds: number): Promise<string>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    readonly Client: { find(id: string): Promise<object> };
    readonly Grant: typeof Grant;
    readonly Session: typeof Session;
    readonly RefreshToken: typeof Model;
    callback(): import("node:http").RequestListener;
  }
}
