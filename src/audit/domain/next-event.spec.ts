import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '../../common/canonical-json.js';
import type { AuditDetails, AuditEntry } from '../audit-entry.js';
import { CHAIN_START } from './audit-event.js';
import { boundedDetails, MAX_DETAILS } from './bounded-details.js';
import { bounded } from './bounded-text.js';
import { nextEvent } from './next-event.js';

const AT = new Date('2026-01-02T03:04:05.678Z');

function delegations(count: number, name: string): NonNullable<AuditDetails['delegations']> {
  return Array.from({ length: count }, () => ({
    agent: name,
    skill: name,
    state: 'failed',
    reason: name,
    calls: 1,
    begunAt: AT.toISOString(),
    changedAt: AT.toISOString(),
  }));
}

describe('an entry of the audit log', () => {
  it('has the hash of all its members as canonical JSON', () => {
    const entry: AuditEntry = {
      action: 'tasks.end',
      outcome: 'failed',
      actor: {
        principal: 'p',
        organization: 'ü"\\',
        onBehalfOf: null,
        issuer: null,
        credential: 'c',
      },
      resource: { type: 'tasks', id: 't' },
      requestId: null,
      policy: null,
      details: { state: 'FAILED', traceId: undefined, delegations: delegations(2, 'a') },
    };
    const first = nextEvent(entry, 'chain', CHAIN_START, 'id', AT);
    const second = nextEvent(entry, 'chain', first, 'id 2', AT);
    for (const event of [first, second]) {
      const { hash, ...others } = event;
      const text = canonicalJson({ ...others, at: AT.toISOString() });
      expect(hash).toBe(createHash('sha256').update(text).digest('hex'));
    }
    expect(second.previousHash).toBe(first.hash);
  });

  it.each([
    ['short names', 'a', 300],
    ['long names', '"'.repeat(200), 20],
  ])('has as many delegations as fit, of %s', (_what, name, count) => {
    for (let given = 0; given <= count; given += 1) {
      const details = boundedDetails({ state: 'FAILED', delegations: delegations(given, name) });
      expect(JSON.stringify(details).length).toBeLessThanOrEqual(MAX_DETAILS);
      const kept = details.delegations?.length ?? 0;
      expect(kept + (details.moreDelegations ?? 0)).toBe(given);
      // One more would not fit, with what is left for their number.
      const one = JSON.stringify(delegations(1, name)[0]).length;
      if (kept < given) {
        expect(JSON.stringify(details).length + one).toBeGreaterThan(MAX_DETAILS - 100);
      }
    }
  });

  it.each([
    ['01a22d0a-dfc5-7352-8bbc-19f86a0598c9', '01a22d0a-dfc5-7352-8bbc-19f86a0598c9'],
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
    ['a'.repeat(300), 'a'.repeat(200)],
    ['Bearer abcdefgh', 'Bearer ***'],
    ['a\nb\u2028', 'a?b?'],
  ])('holds of %j %j', (text, shown) => {
    expect(bounded(text)).toBe(shown);
  });
});
