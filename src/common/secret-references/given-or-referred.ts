import { readReferred } from './referred-secret.js';

/**
 * The secret of a client in the configuration, or a reference to it in its stored form; undefined where there is neither. `fault`: what
 * is wrong, to follow the name of `clientSecret`.
 */
export function givenOrReferred({
  clientSecret,
  clientSecretRef,
}: {
  readonly clientSecret?: string;
  readonly clientSecretRef?: string;
}): string | { readonly fault: string } | undefined {
  if (clientSecretRef === undefined) return clientSecret;
  if (clientSecret !== undefined) return { fault: 'and clientSecretRef are not given together' };
  try {
    return readReferred({ secretRef: clientSecretRef }, 'configuration');
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
