import type { Schema } from '../../../api/client';
import { invalidField } from '../../../api/problem';
import { authenticationOf } from '../credentials/authentication-form';
import type { ChosenAuthentication } from '../credentials/authentication-fields';
import { type HeaderRow, headersOf } from '../credentials/header-rows';
import { betweenCommas } from '../../../ui/lists';
import { numberOf } from '../../../ui/number-text';

/** Where the card of a new agent is: at an address, or pasted. */
export interface CardSource {
  readonly cardUrl: string;
  /** JSON; empty: it is read from the address. */
  readonly card: string;
  readonly cardHeaders: readonly HeaderRow[];
}

/** What is set of a new agent beside its card. */
export interface NewSettings {
  readonly id: string;
  readonly tags: string;
  readonly organizations: string;
  readonly priority: string;
  readonly enabled: boolean;
  readonly headers: readonly HeaderRow[];
  readonly authentication: ChosenAuthentication;
  /** Members of recommendations that were taken. */
  readonly taken: Readonly<Record<string, unknown>>;
}

/** Throws a SyntaxError for a card that is no JSON, and an ApiProblem for an address that is none. */
export function sourceRequest({
  cardUrl,
  card,
  cardHeaders,
}: CardSource): Schema<'RegisterAgentDto'> {
  const headers = headersOf(cardHeaders);
  const source =
    card.trim() === '' ? { cardUrl: addressOf(cardUrl) } : { card: JSON.parse(card) as unknown };
  return {
    ...source,
    ...(Object.keys(headers).length > 0 && { cardHeaders: headers }),
  } as Schema<'RegisterAgentDto'>;
}

function addressOf(typed: string): string {
  const address = typed.trim();
  if (URL.canParse(address)) return address;
  const description = 'Write a whole address, such as https://agent.example.';
  throw invalidField('cardUrl', description, description);
}

/** What proves its calls, which a probe needs as well. */
export function proofRequest({
  headers,
  authentication: { type, texts },
}: NewSettings): Partial<Schema<'RegisterAgentDto'>> {
  const credentials = headersOf(headers.filter(({ value }) => value !== ''));
  return {
    ...(Object.keys(credentials).length > 0 && { credentials }),
    ...(type !== '' && { authentication: authenticationOf(type, texts) }),
  };
}

export function registerRequest(
  source: CardSource,
  settings: NewSettings,
): Schema<'RegisterAgentDto'> {
  const { id, tags, organizations, priority, enabled, taken } = settings;
  return {
    ...sourceRequest(source),
    ...proofRequest(settings),
    ...(id.trim() !== '' && { id: id.trim() }),
    ...(tags.trim() !== '' && { tags: betweenCommas(tags) }),
    ...(organizations.trim() !== '' && { organizations: betweenCommas(organizations) }),
    ...(priority.trim() !== '' && { priority: numberOf(priority) as number }),
    ...(!enabled && { enabled }),
    ...taken,
  };
}

/** The headers that the card asks for and that are not set, ready to be filled in. */
export function missingHeaders(
  security: readonly Schema<'RequiredSecurityDto'>[],
): readonly HeaderRow[] {
  const first = security.find(({ isMet }) => !isMet);
  if (first === undefined || security.some(({ isMet }) => isMet)) return [];
  return first.missing.flatMap((text) => {
    const name = /set credentials\.([\w-]+)/.exec(text)?.[1];
    return name === undefined ? [] : [{ name, kind: 'value' as const, value: '', prefix: '' }];
  });
}
