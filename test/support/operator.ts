import type { Principal } from '../../src/auth/index.js';

/** A caller who may do everything. */
export const OPERATOR: Principal = {
  id: 'operator',
  organization: 'default',
  scopes: new Set(['admin']),
};
