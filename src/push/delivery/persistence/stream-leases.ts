import { unleased } from '../../../database/leases.js';

/** Whether the stream is claimed, given `leaseBounds`. */
export const LEASED = '(lease_until > ? AND lease_until <= ?)';
/** The opposite. */
export const NOT_LEASED = unleased('lease_until');
