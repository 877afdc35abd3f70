/** What the tests use of oidc-provider, which has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface ClientCredentialsToken {
    readonly isValid: boolean;
    readonly scope?: string;
  }

  interface AccessToken {
    readonly isValid: boolean;
    readonly accountId: string;
  }

  /** A request at the token endpoint, whose client has proven itself. */
  export interface GrantContext {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly params: Readonly<Record<string, string | undefined>>;
      /** What a user has consented to. */
      readonly grant?: { readonly jti: string };
    };
    body: unknown;
  }

  export const errors: Readonly<
    Record<'InvalidGrant' | 'InvalidRequest' | 'InvalidTarget', new (description: string) => Error>
  >;

  export default class Provider {
    constructor(issuer: string, configuration: object);

    readonly AccessToken: {
      new (fields: object): {
        resourceServer: object;
        readonly expiration: number;
        save(): Promise<string>;
      };
      find(value: string): Promise<AccessToken | undefined>;
      revokeByGrantId(id: string): Promise<void>;
    };

    readonly RefreshToken: { revokeByGrantId(id: string): Promise<void> };

    on(event: 'grant.success', listener: (context: GrantContext) => void): void;

    readonly ResourceServer: new (resource: string, fields: object) => object;

    registerGrantType(
      name: string,
      handler: (context: GrantContext) => Promise<void>,
      parameters: readonly string[],
    ): void;

    readonly ClientCredentials: {
      find(value: string): Promise<ClientCredentialsToken | undefined>;
    };

    callback(): RequestListener;
  }
}
