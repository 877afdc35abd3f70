import { invalidField } from '../../../common/hub-error.js';
import type { Rule } from './scheme.js';

const PRINTABLE = /^[\x20-\x7e]+$/;
const NO_SPACES = /^[\x21-\x7e]+$/;
const NO_CONTROLS = /^[^\p{Cc}]+$/u;

export const printable: Rule = (value) =>
  PRINTABLE.test(value) ? undefined : 'must be printable ASCII';

export const withoutSpaces: Rule = (value) =>
  NO_SPACES.test(value) ? undefined : 'must be printable ASCII without spaces';

export const trimmed: Rule = (value) =>
  PRINTABLE.test(value) && value.trim() === value
    ? undefined
    : 'must be printable ASCII without spaces around it';

export const withoutControls: Rule = (value) =>
  NO_CONTROLS.test(value) ? undefined : 'must not contain control characters';

/** The credentials that a scheme cannot do without. Throws INVALID_PARAMS for the field. */
export function required(credentials: string | undefined, names: string, field: string): string {
  if (credentials === undefined) throw invalidField(field, `are required for ${names}`);
  return credentials;
}
