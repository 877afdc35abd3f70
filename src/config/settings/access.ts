import { declaredList } from '../declared-list.js';
import {
  choice,
  choices,
  days,
  duration,
  flag,
  optionalText,
  ports,
  texts,
} from '../setting-kinds.js';
import { passwordsIn, secretMembers } from '../secret-texts.js';
import { Section } from '../setting.js';
import { AUDITED_RESOURCES } from '../../common/audited-resources.js';
import { PRINCIPAL_FORMS } from '../../common/principal-digest.js';
import { SECOND, MINUTE, HOUR, DAY } from '../units.js';
import { CERTIFICATE_SETTINGS } from './certificates.js';

const ISSUERS =
  'a list of issuers (in a file only), each with id, issuer, organization or claims.organization, and optionally audiences, ' +
  'algorithms, organizations, claims {subject, organization, groups, scopes}, grants {everyone, scopes, groups}, ' +
  'metadataUrl, jwksUrl, clockSkew, introspection {clientId, clientSecret or clientSecretRef, clientAuthentication, url, tokens, cache, requireAudience}, ' +
  'oauth2 {tokenUrl, authorizationUrl, scopes}';

const HUBS =
  'a list of hubs (in a file only), each with issuer, callers, organization or organizations, and optionally jwksUrl, audiences, scopes (a2a, push, tasks:organization)';
const EXPORTS =
  'a list of receivers (in a file only), each with id, type (webhook, syslog, otlp), url, and optionally from (now, start), ' +
  'secret (whsec_…, webhooks), authorization (webhook, otlp), ca (PEM), batch (1 to 1000 entries), timeout (up to 30s)';

/** Who may call the hub, and what the hub may call. */
export const ACCESS_SETTINGS = {
  auth: new Section('Who may call the hub.', {
    mode: choice(['keys', 'none'], {
      default: 'keys',
      description:
        "keys: every caller needs an API key, or an access token of one of auth.issuers. none: every caller is the principal anonymous, on a loopback host only; requests without a key then need the hub's own Host, and those that may change something are refused from pages of other origins.",
    }),
    adminKey: optionalText({
      default: null,
      pattern: /^[\x21-\x7e]{24,}$/,
      allowed: '24 or more printable characters without spaces, or null',
      description:
        'The admin key. Null: a key is created at the first start and shown once on a terminal, else written to a file beside the SQLite database (PATH.admin-key; with PostgreSQL data/admin-key below the working directory), which only its owner can read.',
      secret: true,
    }),
    bootstrapKeyTtlMs: duration({
      max: 365 * DAY,
      default: DAY,
      description:
        'How long the admin key that is made at the first start is valid; make keys with it before. What is printed at the first start may be kept, by the log of a container too. 0s: until it is revoked.',
    }),
    organizations: choice(['open', 'listed'], {
      default: 'open',
      description:
        'open: an organization is made with its first principal, by a key or a sign-in that names it. listed: keys and sign-ins of an organization that does not exist are refused; POST /api/v1/organizations creates one.',
    }),
    allowOpen: flag({
      default: false,
      description: 'Allows auth.mode none on a host that is not loopback.',
    }),
    issuers: declaredList(ISSUERS, {
      default: [],
      description:
        "Identity providers whose access tokens (OAuth 2.0, OpenID Connect) let callers in, as Authorization: Bearer TOKEN, beside API keys: docs/sign-in.md. audiences: what a token must be for; by default the hub's publicUrl, with or without /a2a. organization, or claims.organization with the list organizations: whose callers these are. grants: the scopes callers have (everyone: [a2a] by default), and those by the scopes and groups of their tokens.",
      secret: true,
      mask: (issuers) => issuers.map(({ id }) => String(id)).join(', '),
      ownSecrets: secretMembers('clientSecret'),
    }),
    hubs: declaredList(HUBS, {
      default: [],
      description:
        'Other hubs that may call for their own callers, as they say by the header A2A-Hub-Caller: docs/sign-in.md. issuer: the publicUrl of the hub; callers: the ids of the principals it calls as, by API key, access token or certificate; organization, or organizations that its tokens may name: whose those callers are.',
    }),
    signInGraceMs: duration({
      max: 365 * DAY,
      default: 30 * DAY,
      description:
        'How long after its last call a principal that signs in with access tokens counts as one with a valid credential: after that its subscriptions are paused as by keylessGrace.',
    }),
    keylessGraceMs: duration({
      max: 365 * DAY,
      default: HOUR,
      description:
        'How long the subscriptions of a principal stay active after its last valid key or sign-in, or the last one with the scope they need, was revoked or expired. After that they are paused, and no event is lost, until it has such a one again; 0s pauses them at once.',
    }),
    ...CERTIFICATE_SETTINGS,
  }),

  audit: new Section(
    'The record of who did what: changes by administrators, refusals, tasks; docs/audit.md.',
    {
      tasks: flag({
        default: true,
        description:
          'Whether each task that has ended gets an entry: whose it was, which agents worked on it, and how that ended.',
      }),
      retentionDays: days({
        min: 0,
        max: 36_500,
        default: 400,
        description:
          'How long an entry is kept; 0d keeps all of them. A signed note remains of what is deleted, so that a verification still succeeds.',
      }),
      anchorEveryMs: duration({
        min: SECOND,
        max: DAY,
        default: MINUTE,
        description:
          'How long entries are written before they are signed together: what is changed before that does not show. 1m are at most 1440 signatures a day for each process.',
      }),
      export: declaredList(EXPORTS, {
        default: [],
        description:
          'Receivers to which each entry is sent soon after it is written, at least once and each chain in its order: webhook (NDJSON), syslog (RFC 5424 over TLS or TCP) or otlp (log records over HTTP, in JSON). egress.allow holds for them. docs/audit.md.',
        secret: true,
        mask: (exports) => exports.map(({ id }) => String(id)).join(', '),
        ownSecrets: secretMembers('secret', 'authorization'),
      }),
      exportGraceDays: days({
        min: 0,
        max: 36_500,
        default: 30,
        description:
          'How long after audit.retention entries are kept on that an export has not sent yet. After that they are deleted all the same, which the log of the hub, the audit log and a metric say.',
      }),
      redact: new Section(
        'What is left out of entries from now on, before they are hashed. Credentials are never in them.',
        {
          address: choice(['keep', 'network', 'omit'], {
            default: 'keep',
            description:
              'The address of refused calls. keep: of IPv6 the /64 network. network: the /24 network of IPv4, the /48 network of IPv6.',
          }),
          principals: choice(PRINCIPAL_FORMS, {
            default: 'id',
            description:
              'How principals are written. digest: as digest: and 32 hexadecimal digits, made with a key of this hub; the same as in its log.',
          }),
          resourceIds: choices(AUDITED_RESOURCES, {
            default: [],
            description:
              'Types of resources whose ids are left out. Those of agents are left out of the delegations of tasks as well.',
          }),
        },
      ),
    },
  ),

  egress: new Section('What the hub may connect to.', {
    allow: texts({
      default: [],
      description:
        'Hosts and CIDR blocks where agents, key sets and token servers are allowed although they are private or plain http (10.0.0.0/8, 127.0.0.1, agents.internal). Webhooks have a separate list: push.allow.',
    }),
    openPorts: ports({
      default: [],
      description:
        'Ports that may be called although they belong to services that do not speak http (22, 25, 6379 …; docs/egress.md lists them). An entry of egress.allow with its port opens one for that host alone. Not for webhooks.',
    }),
    proxy: optionalText({
      default: null,
      pattern: /^https?:\/\/[^\s]+$/i,
      allowed:
        'http://host:port or https://host:port, with user:password@ before the host if needed, or null',
      description:
        'The proxy that connections go through, by CONNECT. Null: none; proxies named in the environment are never used.',
      secret: true,
      mask: (url) => (url ?? 'null').replace(/(:\/\/).*@/, '$1********@'),
      ownSecrets: passwordsIn,
    }),
    proxyCa: optionalText({
      default: null,
      description:
        'Certificates of the authorities trusted for a proxy at https, as PEM or file:PATH. Null: those that Node trusts.',
      reference: true,
    }),
    noProxy: texts({
      default: [],
      description: 'Hosts and CIDR blocks that are called without the proxy, as in egress.allow.',
    }),
    proxyResolves: flag({
      default: false,
      description:
        'Whether the proxy is given names instead of addresses, for a hub that cannot resolve them itself. It must refuse private addresses then; the hub calls only hosts in egress.allow (webhooks: push.allow), and public addresses.',
    }),
  }),
} as const;
