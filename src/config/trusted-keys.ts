import { Setting, type SettingOptions } from './setting.js';
import { isUrl } from '../common/is-url.js';

/** Whose cards the keys of one set sign. */
export interface TrustedKeySet {
  /** Scheme, host and port of the cards (`https://agents.example.com`). */
  readonly origin: string;
  /** The JWK Set with the public keys. */
  readonly jwksUrl: string;
}

const ALLOWED = 'a list (in a file only) of {origin, jwksUrl}, each an http(s) address';

/** The setting that says which keys sign the cards of an origin. */
export function trustedKeys(
  options: SettingOptions<readonly TrustedKeySet[]>,
): Setting<readonly TrustedKeySet[]> {
  return new Setting<readonly TrustedKeySet[]>({ ...options, faults: faultsOf }, ALLOWED, (input) =>
    Array.isArray(input) && faultsOf(input).length === 0
      ? input.map((each: TrustedKeySet) => ({
          origin: new URL(each.origin).origin,
          jwksUrl: each.jwksUrl,
        }))
      : undefined,
  );
}

function faultsOf(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  const seen = new Set<string>();
  return input.flatMap((each: unknown, index) => {
    if (typeof each !== 'object' || each === null) return [`[${index}]: is not a mapping`];
    const { origin, jwksUrl, ...others } = each as Record<string, unknown>;
    const read = isOrigin(origin) ? new URL(origin).origin : undefined;
    const isTwice = read !== undefined && seen.has(read);
    if (read !== undefined) seen.add(read);
    return [
      ...Object.keys(others).map((key) => `[${index}].${key}: is not a member`),
      ...(read === undefined ? [`[${index}].origin: is not an origin without a path`] : []),
      ...(isTwice ? [`[${index}].origin: is that of an entry before it`] : []),
      ...(isHttp(jwksUrl) ? [] : [`[${index}].jwksUrl: is not an http(s) address`]),
    ];
  });
}

function isOrigin(value: unknown): value is string {
  return isHttp(value) && new URL(value).href === `${new URL(value).origin}/`;
}

function isHttp(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && isUrl(value);
}
