import { hash } from 'node:crypto';

/** The directive of a Content-Security-Policy for a page whose only style is this text, in the page itself. */
export function onlyStyle(style: string): string {
  return `style-src 'sha256-${hash('sha256', style, 'base64')}'`;
}

/**
 * Headers of a page of the hub: it loads only what `sources` (directives of a Content-Security-Policy) allow, sends no
 * forms, sends no referrer, is held in no frame, and is asked for anew each time.
 */
export function pageHeaders(sources: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': `default-src 'none'; ${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cache-control': 'no-cache',
  };
}
