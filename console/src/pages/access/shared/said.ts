import { asProblem } from '../../../api/problem';
import { notify } from '../../../ui/toast';
import { refreshAccess } from '../query-keys';

/** Does it and says what became of it, whether or not it was done. */
export async function said(text: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
    notify(text);
  } catch (thrown) {
    notify(asProblem(thrown).message);
  }
  await refreshAccess();
}
