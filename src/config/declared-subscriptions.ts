import { ID } from '../common/id-pattern.js';
import { Setting, type SettingOptions } from './setting.js';

/**
 * A subscription declared in the configuration, as it is written there: the members of the body
 * of `POST /api/v1/push/subscriptions`, with an id and an organization. Push reads it by the same rules,
 * so only the id has been looked at.
 */
export interface DeclaredSubscription {
  /** `[a-z0-9-]{1,63}`; unique among the declared ones. */
  readonly id: string;
  readonly [member: string]: unknown;
}

const ALLOWED =
  'a list of subscriptions (in a file only), each with id, organization and url, and optionally name, ' +
  'version, authentication, token, signingKeys, events, filter, paused; see docs/subscriptions.md';

/** The setting that holds subscriptions declared in YAML. They have secrets, so it is masked whole. */
export function declaredSubscriptions(
  options: SettingOptions<readonly DeclaredSubscription[]>,
): Setting<readonly DeclaredSubscription[]> {
  return new Setting<readonly DeclaredSubscription[]>(
    {
      ...options,
      secret: true,
      mask: (subscriptions) => subscriptions.map(({ id }) => id).join(', '),
      faults: faultsOf,
    },
    ALLOWED,
    (input) =>
      Array.isArray(input) && faultsOf(input).length === 0
        ? (input as DeclaredSubscription[])
        : undefined,
  );
}

/** Everything that is wrong with the list itself, each with its place. */
function faultsOf(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  const seen = new Set<unknown>();
  return input.flatMap((each: unknown, index) => {
    const at = `[${index}]`;
    if (typeof each !== 'object' || each === null || Array.isArray(each)) {
      return [`${at}: is not a mapping`];
    }
    const { id } = each as { id?: unknown };
    if (typeof id !== 'string' || !ID.test(id)) return [`${at}.id: is not [a-z0-9-]{1,63}`];
    if (seen.has(id)) return [`${at}.id: is the id of a subscription before it`];
    seen.add(id);
    return [];
  });
}
