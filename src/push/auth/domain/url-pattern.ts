import { isIP } from 'node:net';
import { isUrl } from '../../../common/is-url.js';

/** Where something may be sent, read from one pattern. */
export interface UrlPattern {
  readonly protocol: 'https:' | 'http:';
  /** Lower case, without the root's dot; for a wildcard what follows `*`, with its dot. */
  readonly host: string;
  readonly wildcard: boolean;
  readonly port: string;
  /** Segments that the path begins with; none for any path. */
  readonly path: readonly string[];
}

const FORM =
  /^(?:(https?):\/\/)?(\*\.)?((?:\[[\da-f:.]+\]|[^\s/?#@\\:*[\]]+)(?::\d{1,5})?)(\/[^\s?#\\]*)?$/i;
/** An encoded slash, backslash, dot or percent sign: a receiver may see another path than the pattern does. */
const DISGUISED = /%(?:2f|5c|2e|25)/i;

/**
 * Reads a pattern: `hooks.example.com` (https), `https://*.example.com/hooks`, `http://10.1.2.3:8080`.
 * A wildcard stands for every name below, not for the name itself. Without a port it is the scheme's own
 * one; with a path, the path and what is below it. Undefined when it is not of this form.
 */
export function parseUrlPattern(written: string): UrlPattern | undefined {
  const [, scheme = 'https', star, authority, path = '/'] = FORM.exec(written) ?? [];
  if (authority === undefined || DISGUISED.test(path)) return undefined;
  const text = `${scheme}://${authority}${path}`;
  if (!isUrl(text)) return undefined;
  const url = new URL(text);
  const wildcard = star !== undefined;
  const host = hostOf(url);
  if (host === '' || (wildcard && isAddress(host))) return undefined;
  return {
    protocol: url.protocol as UrlPattern['protocol'],
    host: wildcard ? `.${host}` : host,
    wildcard,
    port: portOf(url),
    path: segmentsOf(url.pathname),
  };
}

/** Whether a URL lies within the pattern. One with a user, or with a disguised path, never does. */
export function matchesUrl(pattern: UrlPattern, written: string): boolean {
  if (!isUrl(written)) return false;
  const url = new URL(written);
  const host = hostOf(url);
  const hostMatches = pattern.wildcard
    ? host.length > pattern.host.length && host.endsWith(pattern.host) && !isAddress(host)
    : host === pattern.host;
  return (
    hostMatches &&
    url.protocol === pattern.protocol &&
    url.username === '' &&
    url.password === '' &&
    portOf(url) === pattern.port &&
    pathMatches(pattern.path, url.pathname)
  );
}

/** Orders patterns, the most specific first: exact hosts, longer names, longer paths. */
export function bySpecificity(a: UrlPattern, b: UrlPattern): number {
  return (
    Number(a.wildcard) - Number(b.wildcard) ||
    labels(b.host) - labels(a.host) ||
    b.path.length - a.path.length
  );
}

function pathMatches(prefix: readonly string[], pathname: string): boolean {
  if (prefix.length === 0) return true;
  if (DISGUISED.test(pathname)) return false;
  const path = segmentsOf(pathname);
  return prefix.every((segment, i) => path[i] === segment);
}

function segmentsOf(pathname: string): string[] {
  const segments = pathname.split('/').slice(1);
  // A final slash says nothing more.
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments;
}

function hostOf(url: URL): string {
  return url.hostname.toLowerCase().replace(/\.$/, '');
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || isIP(host) !== 0;
}

function labels(host: string): number {
  return host.split('.').length;
}
