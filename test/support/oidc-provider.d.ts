/** What the tests use of oidc-provider, which has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface ClientCredentialsToken {
    readonly isValid: boolean;
    readonly scope?: string;
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);

    readonly ClientCredentials: {
      find(value: string): Promise<ClientCredentialsToken | undefined>;
    };

    callback(): RequestListener;
  }
}
