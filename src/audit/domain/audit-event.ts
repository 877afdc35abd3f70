import { hash } from 'node:crypto';
import { canonicalJson } from '../../common/canonical-json.js';
import type { AuditDetails, AuditOutcome } from '../audit-entry.js';

/** One entry of a chain, as it is stored, shown and exported. Its hash is over all of it but itself. */
export interface AuditEvent {
  readonly id: string;
  /** The chain it is in: each process writes one of its own. */
  readonly chain: string;
  /** Its number in the chain: 1, 2, 3 … */
  readonly seq: number;
  /** When it was written. */
  readonly at: Date;
  readonly action: string;
  readonly outcome: AuditOutcome;
  readonly principal: string | null;
  readonly organization: string | null;
  readonly onBehalfOf: string | null;
  readonly issuer: string | null;
  readonly credential: string | null;
  readonly resourceType: string | null;
  readonly resourceId: string | null;
  readonly requestId: string | null;
  readonly policy: string | null;
  readonly details: AuditDetails;
  /** The hash of the entry before it in the chain; empty for the first. */
  readonly previousHash: string;
  /** SHA-256, in hexadecimal, of all other members as canonical JSON (RFC 8785). */
  readonly hash: string;
}

/** A place in a chain: the number of an entry and its hash. */
export interface ChainPlace {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first entry of a chain. */
export const CHAIN_START: ChainPlace = { seq: 0, hash: '' };

/** SHA-256 in hexadecimal of a value as canonical JSON (RFC 8785). */
export function hashOfValue(value: object): string {
  return hash('sha256', canonicalJson(value), 'hex');
}

/** The hash that an entry should have. */
export function hashOfEvent(event: AuditEvent): string {
  return hashOfValue({ ...event, hash: undefined });
}
