import { counted } from '../../../ui/lists';
import { type Decision, type Question, reachOf } from './decide';

/** How many may. Who is disabled may not, whatever the policies say. */
export function summaryOf(
  questions: readonly Question[],
  decisions: ReadonlyMap<string, Decision>,
): string {
  const enabled = questions.filter(({ state }) => state !== 'disabled');
  const allowed = enabled.filter(({ key }) => reachOf(decisions.get(key)!) !== 'may not');
  const bySkill = allowed.filter(({ key }) => reachOf(decisions.get(key)!) === 'by skill only');
  const keyless = allowed.filter(({ state }) => state === 'keyless');
  const disabled = questions.filter(({ state }) => state === 'disabled');
  const callers = new Set(disabled.map(({ caller }) => caller.id)).size;
  return [
    `${allowed.length} of ${questions.length} may`,
    bySkill.length > 0 && `, ${bySkill.length} of them by skill only`,
    keyless.length > 0 && `, ${keyless.length} of them without a key`,
    callers > 0 && `; ${counted(callers, 'caller is', 'callers are')} disabled`,
    '.',
  ]
    .filter(Boolean)
    .join('');
}
