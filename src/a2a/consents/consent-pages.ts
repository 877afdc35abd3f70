import { escaped, isolated, plainPage } from '../../common/http/plain-page.js';
import type { ConsentOwner, ConsentResult, LinkView } from '../../tasks/index.js';
import type { Wait } from '../../common/http/visit-bounds.js';

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
  return plainPage(
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
  return { status, html: plainPage(title, `<p>${escaped(text)}</p>`) };
}
