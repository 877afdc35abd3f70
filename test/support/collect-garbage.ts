import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Frees what nothing holds any more, now; a signal that is lost by that never fires. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What held something weakly is freed by the next turn only.
  for (let turn = 0; turn < 3; turn += 1) collect();
}
