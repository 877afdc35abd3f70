import { escaped, isolated, plainPage } from '../../common/http/plain-page.js';
import type { Wait } from '../../common/http/visit-bounds.js';
import type { HubError } from '../../common/hub-error.js';
import type { SignInFailed } from './sign-in-providers.js';

/** A page for a person, and the HTTP status it is sent with. */
export interface SignInPage {
  readonly status: number;
  readonly html: string;
  /** No such sign-in was under way. */
  readonly isMiss?: true;
}

/** What a page offers, by an address relative to the one it is shown at. */
export interface SignInLink {
  readonly href: string;
  readonly text: string;
}

/** There is no such way to sign in. */
export function unknownWayPage(links: readonly SignInLink[]): SignInPage {
  const text =
    links.length === 0
      ? 'There is no provider to sign in at: console.signIn of the hub is empty. Paste a key in the console.'
      : 'The hub has no such way to sign in. These it has:';
  return page(404, 'There is no such way to sign in', text, links);
}

export function unexpectedPage(link: SignInLink): SignInPage {
  const text =
    'It was used already, took longer than 10 minutes, or was begun in another browser. You are not signed in.';
  return { isMiss: true, ...page(400, 'This sign-in was not expected', text, [link]) };
}

export function failedPage(error: SignInFailed, link: SignInLink): SignInPage {
  const isAway = error.fault === 'provider-away';
  return page(isAway ? 502 : 403, 'You are not signed in', error.message, [link]);
}

/** Browsers keep a cookie for the address that the hub has, and for no other. */
export function otherAddressPage(base: string): SignInPage {
  const text = `Sign-in works at the address of the hub alone, which is ${base}: open the console there. If the hub has another address, publicUrl has to say so.`;
  return page(400, 'This is not the address of the hub', text);
}

/** What an operator can do about a token that the hub does not take, by its cause. */
const ADVICE: Readonly<Record<string, string>> = {
  'wrong-audience':
    'Its audience (aud) has to be the hub: set resource or audience in console.signIn so that the provider makes it so, or audiences in auth.issuers to what it says.',
  'no-audience':
    'It names no audience (aud): set resource or audience in console.signIn, or let the provider add the address of the hub.',
  'unknown-token':
    'It is no JWT: let the provider give JWT access tokens (often by resource or audience in console.signIn), or set introspection in auth.issuers.',
  'encrypted-token':
    'The provider encrypts it for somebody else: set resource or audience in console.signIn to an API of the hub.',
  'unlisted-issuer': 'Its issuer (iss) has to be that of the entry in auth.issuers.',
  'other-issuer': 'Its issuer (iss) has to be that of the entry in auth.issuers.',
  'wrong-type': 'Its type (typ) has to be that of an access token.',
  'id-token': 'The provider has given an ID token in the place of an access token.',
  'no-subject': 'claims.subject in auth.issuers has to name the claim that says whose it is.',
  'no-organization':
    'claims.organization in auth.issuers has to name the claim that says whose caller it is, or organization has to be set.',
};

/** The provider gave a token that the hub does not take. */
export function refusedTokenPage(
  { message, reason, refusal }: HubError,
  provider: string,
  link: SignInLink,
): SignInPage {
  const advice = ADVICE[refusal?.cause ?? ''];
  const title = `The hub does not take what ${provider} gave`;
  if (reason !== 'UNAUTHENTICATED') return page(503, title, message, [link]);
  return page(403, title, message, [link], advice);
}

export function tooManySessionsPage(link: SignInLink): SignInPage {
  return page(503, 'Too many are signed in', 'Try again later.', [link]);
}

/** From the network of this browser. */
export function tooManyVisitsPage({ seconds }: Wait): SignInPage {
  const text = `Too many sign-ins came from your network address. Try again in ${seconds} s.`;
  return page(429, 'Too many sign-ins', text);
}

/** Something of the hub failed: what, its log says. */
export function troublePage(link: SignInLink): SignInPage {
  const text = 'You are not signed in. The log of the hub says what failed.';
  return page(503, 'This does not work now', text, [link]);
}

function page(
  status: number,
  title: string,
  text: string,
  links: readonly SignInLink[] = [],
  advice?: string,
): SignInPage {
  const parts = [
    `<p>${isolated(text)}</p>`,
    ...(advice === undefined ? [] : [`<p>For who operates the hub: ${escaped(advice)}</p>`]),
    ...links.map(
      ({ href, text: name }) => `<p><a href="${escaped(href)}">${isolated(name)}</a></p>`,
    ),
  ];
  return { status, html: plainPage(title, parts.join('\n')) };
}
