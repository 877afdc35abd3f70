import { queries } from '../../api/client';

/** What the queries of this page's lists begin with. */
export const ACCESS = 'access';

/** Reads anew what is shown of access: something was changed. */
export function refreshAccess(): Promise<void> {
  return queries.invalidateQueries({ queryKey: [ACCESS] });
}
