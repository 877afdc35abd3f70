import type { Schema } from '../../../api/client';

/** What keeps a caller from calling any agent. */
export type Bar = 'disabled' | 'organization disabled' | 'no key for a2a';

/** Why, in a sentence. */
export const BARS: Readonly<Record<Bar, string>> = {
  disabled: 'The caller is disabled and can call nothing.',
  'organization disabled': 'The organization of the caller is disabled, which can call nothing.',
  'no key for a2a':
    'No valid key or sign-in of the caller has the scope a2a, without which it can call no agent.',
};

/** What keeps this principal from calling; undefined where it is for the policies to say. */
export function barOf(principal: Schema<'PrincipalDto'> | undefined): Bar | undefined {
  if (principal === undefined) return undefined;
  if (principal.disabledAt !== null) return 'disabled';
  if (principal.organizationDisabledAt !== null) return 'organization disabled';
  // That of one without any is shown beside what it may do with one.
  return principal.holdsA2a || principal.state === 'keyless' ? undefined : 'no key for a2a';
}
