import { declaredList } from '../declared-list.js';
import { duration, flag } from '../setting-kinds.js';
import { secretMembers } from '../secret-texts.js';
import { Section } from '../setting.js';
import { DAY, HOUR, MINUTE } from '../units.js';

const SIGN_IN =
  'a list (in a file only), each with issuer (the id of an entry in auth.issuers), clientId, and optionally name, clientSecret or clientSecretRef, ' +
  'clientAuthentication (client_secret_basic, client_secret_post), scopes, resource, audience';

/** The console of the hub. */
export const CONSOLE_SETTINGS = {
  console: new Section('The console, a page at /console: docs/console.md.', {
    enabled: flag({
      default: true,
      description: 'Whether /console is served, with the ways to sign in there.',
    }),
    signIn: declaredList(SIGN_IN, {
      default: [],
      description:
        'Identity providers at which people sign in to the console, beside pasting a key: the hub is a client of theirs (OpenID Connect, authorization code with PKCE), with the redirect address PUBLIC_URL/console/sign-in/callback. The access token must be one that the entry in auth.issuers takes. scopes: what is asked for, openid by default; with offline_access the provider may give a refresh token. resource (RFC 8707) or audience: how the provider learns that the token is for the hub. Without a secret the hub is a public client.',
      secret: true,
      mask: (entries) => entries.map(({ issuer }) => String(issuer)).join(', '),
      ownSecrets: secretMembers('clientSecret'),
    }),
    sessionTtlMs: duration({
      min: MINUTE,
      max: 30 * DAY,
      default: 12 * HOUR,
      description: 'How long a sign-in at the console lasts, however it is used.',
    }),
    idleTtlMs: duration({
      min: MINUTE,
      max: 30 * DAY,
      default: HOUR,
      description: 'How long it lasts without a request of its page.',
    }),
  }),
} as const;
