import { counted } from '../../../ui/lists';
import { type Decision, type Question, reachOf } from './decide';

/** How many may. Who can call nothing may not, whatever the policies say. */
export function summaryOf(
  questions: readonly Question[],
  decisions: ReadonlyMap<string, Decision>,
): string {
  const able = questions.filter(({ bar }) => bar === undefined);
  const allowed = able.filter(({ key }) => reachOf(decisions.get(key)!) !== 'may not');
  const bySkill = allowed.filter(({ key }) => reachOf(decisions.get(key)!) === 'by skill only');
  const keyless = allowed.filter(({ isKeyless }) => isKeyless);
  const barred = questions.filter(({ bar }) => bar !== undefined);
  const callers = new Set(barred.map(({ caller }) => caller.id)).size;
  return [
    `${allowed.length} of ${questions.length} may`,
    bySkill.length > 0 && `, ${bySkill.length} of them by skill only`,
    keyless.length > 0 && `, ${keyless.length} of them without a key`,
    callers > 0 && `; ${counted(callers, 'caller')} can call nothing`,
    '.',
  ]
    .filter(Boolean)
    .join('');
}
