import { createHash } from 'node:crypto';
import { pageHeaders } from '../../page-headers.js';
import type { ConsentOwner, ConsentResult, LinkView } from '../../tasks/index.js';
import type { Wait } from './visit-bounds.js';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }
dt { font-weight: 600; margin-top: 0.75rem }
dd { margin: 0; overflow-wrap: anywhere }
`;

/** The page is text: nothing runs in it or is loaded by it. */
export const CONSENT_HEADERS: Readonly<Record<string, string>> = {
  ...pageHeaders(`style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** A page for a person, and the HTTP status it is sent with. */
export interface ConsentPage {
  readonly status: number;
  readonly html: string;
  /** There is no such link, or no such answer was awaited. */
  readonly isMiss?: true;
}

const TROUBLE = 'This does not work now';
const AGAIN =
  'Open the link in the status of the task again, or send the task a message to get a new one.';

/** Asks before the browser goes to the provider: in whose name it is, the provider cannot tell. */
export function linkPage(view: LinkView, hub: string): ConsentPage {
  switch (view.kind) {
    case 'ask':
      return { status: 200, html: askPage(view, hub) };
    case 'too-often':
      return page(
        429,
        'This link was opened too often',
        `Try again in ${view.seconds} s. A consent that is under way can be completed meanwhile.`,
      );
    case 'done':
      return page(200, 'There is a consent already', 'The task goes on. You may close this page.');
    case 'unknown':
      return miss(
        404,
        'This link is not valid',
        `It has expired, was replaced, or its task goes on already. ${AGAIN}`,
      );
    case 'failed':
      return page(502, 'You cannot be asked now', `${view.why} ${AGAIN}`);
  }
}

export function resultPage(result: ConsentResult): ConsentPage {
  switch (result.kind) {
    case 'given':
      return page(200, 'Thank you', 'The task goes on. You may close this page.');
    case 'unknown':
      return miss(
        400,
        'This answer was not expected',
        `It was used already, or a new link has taken the place of its own. Nothing was kept. ${AGAIN}`,
      );
    case 'expired':
      return page(400, 'This took too long', `Nothing was kept. ${AGAIN}`);
    case 'other-browser':
      return page(
        403,
        'This is another browser',
        `A consent is completed in the browser in which its link was opened, with cookies. Nothing was kept. ${AGAIN}`,
      );
    case 'failed':
      return page(403, 'There is no consent', `${result.why} The task waits. ${AGAIN}`);
    case 'kept':
      return page(503, 'The task does not go on yet', `Your consent was kept. ${AGAIN}`);
    case 'not-known':
      return page(503, TROUBLE, `Whether your consent was kept is not known. ${AGAIN}`);
  }
}

const TOO_MANY: Readonly<Record<Wait['why'], string>> = {
  visits: 'Too many pages opened',
  misses: 'Too many links that are not valid',
  'under-way': 'Too many pages opened at once',
};

/** From the network of this browser. */
export function tooManyPage({ seconds, why }: Wait): ConsentPage {
  const text = `They came from your network address. Try again in ${seconds} s.`;
  return page(429, TOO_MANY[why], text);
}

/** Something of the hub failed: what, its log says. */
export function troublePage(): ConsentPage {
  return page(503, TROUBLE, `Nothing was kept. ${AGAIN}`);
}

function askPage({ place, owner }: Extract<LinkView, { kind: 'ask' }>, hub: string): string {
  const { agentName, server, scopes, url } = place;
  const rows = [
    ['Hub', hub],
    ...ownerRows(owner),
    ['Agent that will be called', agentName],
    ['Where you sign in', server],
    ['For', scopes.length === 0 ? 'what the provider says' : scopes.join(', ')],
  ] as const;
  const list = rows.map(([name, value]) => `<dt>${name}</dt>\n<dd>${isolated(value)}</dd>`);
  return render(
    'A task asks for your consent',
    `<p>A task at this hub can go on when you let it call an agent in your name.</p>
<dl>
${list.join('\n')}
</dl>
<p><strong>If ${known(owner)} is not you, or you have not asked for this, close this page:</strong> whoever it is would act with your rights.</p>
<p><a href="${escaped(url)}" rel="noreferrer">Continue to ${escaped(server)}</a></p>`,
  );
}

/** What the hub knows, each by itself, and apart from it the name: whoever administers its access can choose any. */
function ownerRows(owner: ConsentOwner): (readonly [string, string])[] {
  const { principalId, organization, displayName, identity } = owner;
  return [
    ['In the name of the principal', principalId],
    ['Of the organization', organization],
    ...(identity === null
      ? [['Which comes with', 'an API key, without a sign-in'] as const]
      : [['Which signs in as', identity.subject] as const, ['At', identity.issuer] as const]),
    ...(displayName === null ? [] : [['A name chosen for it', `“${displayName}”`] as const]),
  ];
}

/** The owner in a sentence, by what it is known by and not by the name that was chosen. */
function known({ principalId, organization, identity }: ConsentOwner): string {
  const emphasized = (text: string): string => `<em>${isolated(text)}</em>`;
  const name =
    identity === null
      ? emphasized(principalId)
      : `${emphasized(identity.subject)} at ${emphasized(identity.issuer)}`;
  return `${name}, of the organization ${emphasized(organization)},`;
}

function miss(status: number, title: string, text: string): ConsentPage {
  return { isMiss: true, ...page(status, title, text) };
}

function page(status: number, title: string, text: string): ConsentPage {
  return { status, html: render(title, `<p>${escaped(text)}</p>`) };
}

function render(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${body}
</body>
</html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text of somebody else's, which turns the direction of nothing beside it. */
function isolated(text: string): string {
  return `<bdi>${escaped(text)}</bdi>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
