import type { TextForm } from '../common/http/text-forms.js';

/** What budgets and prices are counted in. */
export const UNIT: TextForm = {
  pattern: /^[A-Za-z][A-Za-z0-9_.-]{0,31}$/,
  rule: 'must be 1 to 32 letters, digits, _, . and -, the first of them a letter',
  isShown: true,
};
