import { idOfName } from '../../../common/id-of-name.js';

/** The id of a rule by its name; see {@link idOfName}. */
export function ruleIdFrom(name: string, isTaken: (id: string) => boolean): string {
  return idOfName(name, (slug) => slug || 'rule', isTaken);
}
