import { createHmac } from 'node:crypto';

/** How a principal's id is written. */
export const PRINCIPAL_FORMS = ['id', 'digest'] as const;
export type PrincipalForm = (typeof PRINCIPAL_FORMS)[number];

const PREFIX = 'digest:';
/** 128 bits: enough to tell all principals apart. */
const DIGITS = 32;

/**
 * A principal's id as those see it who shall not know it: the same wherever it stands, and found by nobody who has not
 * the key. What is one already stays so.
 */
export function principalDigest(key: string, id: string): string {
  if (isDigest(id)) return id;
  const digest = createHmac('sha256', key).update(id).digest('hex');
  return PREFIX + digest.slice(0, DIGITS);
}

function isDigest(id: string): boolean {
  return /^digest:[0-9a-f]{32}$/.test(id);
}
