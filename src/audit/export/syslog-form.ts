import { hostname } from 'node:os';
import type { AuditEvent } from '../domain/audit-event.js';
import { lineOf } from './entry-line.js';

/** Facility 13, log audit (RFC 5424 §6.2.1). */
const FACILITY = 13;
const INFORMATIONAL = 6;
const WARNING = 4;
/** The largest `sequenceId` (RFC 5424 §7.3.1), after which it begins anew. */
const MAX_SEQUENCE = 2_147_483_647;
const NOT_ASCII = /[^\x20-\x7e]/g;
const NOT_PRINTABLE = /[^\x21-\x7e]/g;

/**
 * An entry as a message of syslog (RFC 5424), in a frame that begins with its length (RFC 6587 §3.4.1, RFC 5425 §4.3). The message is the
 * whole entry as JSON in ASCII.
 */
export function syslogFrame(event: AuditEvent, host = hostname()): string {
  const isGood = event.outcome === 'attempted' || event.outcome === 'succeeded';
  const priority = FACILITY * 8 + (isGood ? INFORMATIONAL : WARNING);
  const header = [
    `<${priority}>1`,
    event.at.toISOString(),
    word(host, 255),
    'a2a-hub',
    '-',
    word(event.action, 32),
    `[meta sequenceId="${((event.seq - 1) % MAX_SEQUENCE) + 1}"]`,
  ].join(' ');
  const message = `${header} ${lineOf(event).replace(NOT_ASCII, escaped)}`;
  return `${message.length} ${message}`;
}

function word(text: string, max: number): string {
  return text.replace(NOT_PRINTABLE, '?').slice(0, max) || '-';
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
