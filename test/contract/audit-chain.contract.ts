import { beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPair, calculateJwkThumbprint, exportJWK, FlattenedSign } from 'jose';
import { AuditProcess } from '../support/audit-process.js';
import { type Anchor, anchorText, hashOfAnchor } from '../../src/audit/domain/anchor.js';
import { hashOfEvent } from '../../src/audit/domain/audit-event.js';
import type { Database } from '../../src/database/database.js';
import { FakeClock } from '../support/fake-clock.js';

const DAY = 86_400_000;

/** What a verification promises: whoever changes the tables without the hub's keys is found out. */
export function auditChainContract(open: () => Promise<Database>): void {
  let database: Database;
  let clock: FakeClock;
  let hub: AuditProcess;
  let chain: string;

  beforeEach(async () => {
    database = await open();
    clock = new FakeClock();
    hub = new AuditProcess(database, clock);
    await hub.record(5);
    await hub.anchors.run();
    await hub.record(5);
    await hub.anchors.run();
    chain = hub.log.head!.chain;
  });

  /** Another process, which has seen nothing of the log. */
  const stranger = (): AuditProcess => new AuditProcess(database, clock);

  /** Adds an anchor as somebody does who has the database. */
  const forge = (anchor: Anchor): Promise<unknown> =>
    hub.store.addAnchor(anchor, (tx) => hub.signing.holds(tx, anchor.kid));

  const broken = async (process = stranger()): Promise<unknown> => (await process.verify()).broken;

  /** Writes an entry, and all after it, as if they had always been so. */
  const rewriteFrom = async (seq: number, principal: string): Promise<void> => {
    const rows = await hub.store.chainRows(chain, seq - 1, 1000);
    const [before] = seq === 1 ? [] : await hub.store.chainRows(chain, seq - 2, 1);
    let previousHash = before?.event?.hash ?? '';
    for (const { event } of rows) {
      const changed = { ...event!, previousHash, ...(event!.seq === seq && { principal }) };
      previousHash = hashOfEvent(changed);
      await hub.tamper(
        'UPDATE audit_events SET principal = ?, previous_hash = ?, hash = ? WHERE chain = ? AND seq = ?',
        [changed.principal!, changed.previousHash, previousHash, chain, changed.seq],
      );
    }
  };

  describe('what nobody has touched', () => {
    it('is valid, and says how much there is', async () => {
      await hub.record(3);
      expect(await stranger().verify()).toMatchObject({
        valid: true,
        ...{ chains: 1, entries: 13, unsigned: 3, anchors: 2, broken: [] },
        newestAnchor: { number: 2 },
      });
    });

    it('is valid while it is written and signed', async () => {
      const others = [stranger(), stranger()];
      const writing = Promise.all(
        [hub, ...others].map(async (process) => {
          for (let i = 0; i < 10; i++) {
            await process.record(10);
            await process.anchors.run();
          }
        }),
      );
      for (let i = 0; i < 5; i++) expect(await broken()).toEqual([]);
      await writing;
      expect(await stranger().verify()).toMatchObject({ valid: true, chains: 3, unsigned: 0 });
    });

    it('is signed by the next process where one was killed before it could', async () => {
      await hub.record(2);
      await clock.advance(DAY);
      const next = stranger();
      await next.anchors.run();
      expect(await next.verify()).toMatchObject({ valid: true, unsigned: 0, anchors: 3 });
    });

    it('stays valid when signing keys rotate and one is revoked', async () => {
      const { kid } = await hub.signing.signer();
      await hub.signing.rotate(false);
      await hub.record(1);
      await hub.anchors.run();
      await clock.advance(1000);
      await hub.signing.revoke(kid);
      expect(await broken()).toEqual([]);
    });

    it('stays valid when the key that signed it is revoked by a clock that is behind', async () => {
      const behind = new FakeClock('2025-12-31T00:00:00Z');
      await new AuditProcess(database, behind).signing.revoke((await hub.signing.signer()).kid);
      expect(await broken()).toEqual([]);
    });

    it('is signed with the next key where another process has revoked the one that is remembered', async () => {
      const { kid } = await hub.signing.signer();
      await stranger().signing.revoke(kid);
      await hub.record(1);
      await hub.anchors.run();
      const anchors = await hub.store.anchorsAfter(0, 10);
      expect(anchors.map((anchor) => anchor.kid === kid)).toEqual([true, true, false]);
      expect(await broken()).toEqual([]);
    });

    it('stays valid however often keys are revoked while it is signed', async () => {
      const [other, revoking] = [stranger(), stranger()];
      await other.record(1);
      const sign = async (process: AuditProcess): Promise<void> => {
        for (let i = 0; i < 3; i++) {
          await process.anchors.add('head', process.log.head!.chain, process.log.head!);
        }
      };
      for (let i = 0; i < 5; i++) {
        const { kid } = await revoking.signing.signer();
        await Promise.all([sign(hub), sign(other), revoking.signing.revoke(kid)]);
      }
      expect(await stranger().verify()).toMatchObject({ valid: true, anchors: 32, broken: [] });
    });

    it('is valid while keys rotate during the verification', async () => {
      const process = stranger();
      const anchorsAfter = process.store.anchorsAfter.bind(process.store);
      process.store.anchorsAfter = async (...args) => {
        process.store.anchorsAfter = anchorsAfter;
        await hub.signing.rotate(false);
        await hub.record(1);
        await hub.anchors.run();
        return anchorsAfter(...args);
      };
      expect(await process.verify()).toMatchObject({ valid: true, anchors: 3 });
    });
  });

  describe('an entry', () => {
    it.each(['principal', 'action', 'outcome', 'details', 'resource_id', 'request_id'])(
      'shows that its %s was changed',
      async (column) => {
        const value = column === 'details' ? '{"count":1}' : 'other';
        await hub.tamper(`UPDATE audit_events SET ${column} = ? WHERE chain = ? AND seq = 4`, [
          value,
          chain,
        ]);
        expect(await broken()).toEqual([{ what: 'entry-changed', chain, seq: 4, anchor: null }]);
      },
    );

    it('shows that its time was changed, or that it is not even readable', async () => {
      await hub.tamper('UPDATE audit_events SET details = ? WHERE chain = ? AND seq = 9', [
        'no JSON',
        chain,
      ]);
      expect(await broken()).toEqual([{ what: 'entry-changed', chain, seq: 9, anchor: null }]);
      await hub.tamper('UPDATE audit_events SET at = at + 1 WHERE chain = ? AND seq = 2', [chain]);
      expect(await broken()).toEqual([{ what: 'entry-changed', chain, seq: 2, anchor: null }]);
      await hub.tamper('UPDATE audit_events SET at = ? WHERE chain = ? AND seq = 1', [9e15, chain]);
      expect(await broken()).toEqual([{ what: 'entry-changed', chain, seq: 1, anchor: null }]);
    });

    it('is missed in the middle, at the beginning and at the end', async () => {
      const remove = (seq: number): Promise<number> =>
        hub.tamper('DELETE FROM audit_events WHERE chain = ? AND seq = ?', [chain, seq]);
      await remove(10);
      expect(await broken()).toEqual([
        { what: 'entries-missing-at-end', chain, seq: 10, anchor: 2 },
      ]);
      await remove(6);
      expect(await broken()).toEqual([{ what: 'entry-missing', chain, seq: 6, anchor: null }]);
      await remove(1);
      expect(await broken()).toEqual([{ what: 'entry-missing', chain, seq: 1, anchor: null }]);
    });

    it('is missed with all others of its chain', async () => {
      await hub.tamper('DELETE FROM audit_events WHERE chain = ?', [chain]);
      expect(await broken()).toEqual([
        { what: 'entries-missing-at-end', chain, seq: 1, anchor: 1 },
      ]);
    });

    it('is missed by its process before it was signed, and by others after the next one', async () => {
      await hub.record(1);
      await hub.tamper('DELETE FROM audit_events WHERE chain = ? AND seq = 11', [chain]);
      const missing = { what: 'entries-missing-at-end', chain, seq: 11, anchor: null };
      expect(await broken(hub)).toEqual([missing]);
      await hub.record(1);
      expect(await broken()).toEqual([{ what: 'entry-missing', chain, seq: 11, anchor: null }]);
    });

    it('shows that it was exchanged for another', async () => {
      for (const [from, to] of [
        [3, 1000],
        [4, 3],
        [1000, 4],
      ]) {
        await hub.tamper('UPDATE audit_events SET seq = ? WHERE chain = ? AND seq = ?', [
          to!,
          chain,
          from!,
        ]);
      }
      expect(await broken()).toEqual([{ what: 'entry-changed', chain, seq: 3, anchor: null }]);
    });

    it('shows that it was written anew, with all hashes after it', async () => {
      await rewriteFrom(3, 'somebody else');
      expect(await broken()).toEqual([
        { what: 'entry-is-not-what-was-signed', chain, seq: 5, anchor: 1 },
      ]);
    });

    it('shows that it was written anew with its own hash alone', async () => {
      const [row] = await hub.store.chainRows(chain, 2, 1);
      const changed = { ...row!.event!, principal: 'somebody else' };
      await hub.tamper(
        'UPDATE audit_events SET principal = ?, hash = ? WHERE chain = ? AND seq = 3',
        [changed.principal, hashOfEvent(changed), chain],
      );
      expect(await broken()).toEqual([
        { what: 'entry-does-not-follow', chain, seq: 4, anchor: null },
      ]);
    });
  });

  describe('an anchor', () => {
    it('is missed in the middle, at the end by who has seen it, and when it is asked for', async () => {
      const kept = (await stranger().verify()).newestAnchor!;
      await hub.tamper('DELETE FROM audit_anchors WHERE number = 2');
      const missing = { what: 'anchor-missing', chain: null, seq: null, anchor: 2 };
      expect(await broken(hub)).toEqual([missing]);
      expect((await stranger().verify(kept)).broken).toEqual([missing]);
      expect((await stranger().verify({ ...kept, number: 1 })).broken).toEqual([
        { what: 'anchor-changed', chain: null, seq: null, anchor: 1 },
      ]);
      await hub.record(1);
      await hub.anchors.run();
      expect(await broken()).toEqual([missing]);
    });

    it('shows that it was changed, or moved', async () => {
      await hub.tamper('UPDATE audit_anchors SET seq = 4 WHERE number = 1');
      expect(await broken()).toMatchObject([{ what: 'anchor-changed', anchor: 1 }, {}]);
    });

    it('shows that nobody of this hub signed it, also with a key that was put among its own', async () => {
      await rewriteFrom(3, 'somebody else');
      const pair = await generateKeyPair('ES256', { extractable: true });
      const { x = '', y = '' } = await exportJWK(pair.publicKey);
      const kid = await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x, y });
      const publicKey = { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' };
      await hub.tamper(
        'INSERT INTO signing_keys (generation, kid, public_key, created_at, signs_from) VALUES (2, ?, ?, 0, 0)',
        [kid, JSON.stringify(publicKey)],
      );
      let previousHash = '';
      for (const old of await hub.store.anchorsAfter(0, 10)) {
        const end = (await hub.store.chainRows(chain, old.seq - 1, 1))[0]!.event!;
        const content: Anchor = { ...old, chainHash: end.hash, previousHash };
        const { protected: header, signature } = await new FlattenedSign(
          new TextEncoder().encode(anchorText(content)),
        )
          .setProtectedHeader({ alg: 'ES256', kid })
          .sign(pair.privateKey);
        previousHash = hashOfAnchor(content);
        await hub.tamper(
          `UPDATE audit_anchors SET chain_hash = ?, previous_hash = ?, hash = ?, kid = ?,
             protected_header = ?, signature = ? WHERE number = ?`,
          [
            content.chainHash,
            content.previousHash,
            previousHash,
            kid,
            header!,
            signature,
            old.number,
          ],
        );
      }
      expect(await broken()).toEqual([
        { what: 'anchor-not-signed', chain: null, seq: null, anchor: 1 },
      ]);
    });

    it('is not believed when its key had been revoked before it, whatever the clock said', async () => {
      const { kid } = await hub.signing.signer();
      await hub.signing.revoke(kid);
      await hub.tamper('UPDATE signing_keys SET revoked_after = 1 WHERE kid = ?', [kid]);
      expect(await broken()).toMatchObject([{ what: 'anchor-not-signed', anchor: 2 }]);
    });

    it('is not believed when its key had been revoked before by a hub that kept the time alone', async () => {
      const { kid } = await hub.signing.signer();
      await hub.tamper('UPDATE signing_keys SET revoked_at = 0 WHERE kid = ?', [kid]);
      expect(await broken()).toMatchObject([{ what: 'anchor-not-signed', anchor: 1 }]);
    });
  });

  describe('retention', () => {
    it('deletes what is due and stays valid, for the chain that goes on too', async () => {
      await clock.advance(6 * DAY);
      await hub.record(5);
      await hub.anchors.run();
      await clock.advance(6 * DAY);
      await hub.retention.run();
      const found = await stranger().verify();
      // What it did is an entry as well.
      expect(found).toMatchObject({ valid: true, entries: 6, chains: 1, unsigned: 1 });
      const { items } = await hub.reader.list({ action: 'audit.expire' }, 5);
      expect(items[0]).toMatchObject({ details: { by: 'retention', count: 10 } });
    });

    it('is recorded also when a later step of it fails', async () => {
      await clock.advance(11 * DAY);
      hub.exports.forgetEndedChains = () => Promise.reject(new Error('the database is away'));
      await expect(hub.retention.run()).rejects.toThrow('is away');
      const { items } = await hub.reader.list({ action: 'audit.expire' }, 5);
      expect(items).toMatchObject([{ details: { by: 'retention', count: 10 } }]);
    });

    it('leaves nothing of a chain that has ended, and knows that it was all', async () => {
      await clock.advance(11 * DAY);
      const next = stranger();
      await next.retention.run();
      await next.anchors.run();
      expect(await stranger().verify()).toMatchObject({ valid: true, entries: 1, unsigned: 0 });
    });

    it('shows what somebody else has cut, before and after it', async () => {
      await hub.tamper('DELETE FROM audit_events WHERE chain = ? AND seq <= 3', [chain]);
      expect(await broken()).toEqual([{ what: 'entry-missing', chain, seq: 1, anchor: null }]);
    });

    it('shows what somebody else has cut behind it', async () => {
      await clock.advance(6 * DAY);
      await hub.record(5);
      await hub.anchors.run();
      await clock.advance(6 * DAY);
      await hub.retention.run();
      await hub.tamper('DELETE FROM audit_events WHERE chain = ? AND seq <= 12', [chain]);
      expect(await broken()).toEqual([{ what: 'entry-missing', chain, seq: 11, anchor: null }]);
    });

    it('believes no cut that the hub has not signed', async () => {
      const [first] = await hub.store.anchorsAfter(0, 1);
      await hub.tamper('DELETE FROM audit_events WHERE chain = ? AND seq <= 5', [chain]);
      await forge({ ...first!, number: 3, kind: 'cut' });
      expect(await broken()).toMatchObject([{ what: 'anchor-changed', anchor: 3 }]);
    });

    it('believes no deletion of anchors that the hub has not signed', async () => {
      const [first] = await hub.store.anchorsAfter(0, 1);
      await hub.tamper('DELETE FROM audit_anchors WHERE number = 1');
      const { number: seq, hash: chainHash } = first!;
      await forge({ ...first!, kind: 'floor', chain: '', seq, chainHash });
      const changed = { what: 'anchor-changed', chain: null, seq: null, anchor: 1 };
      expect(await broken()).toEqual([changed]);
    });

    it('believes no cut that the hub has not signed among anchors that are going to be deleted', async () => {
      for (let i = 0; i < 1000; i++) await hub.anchors.add('head', chain, hub.log.head!);
      await clock.advance(9 * DAY);
      await hub.record(1);
      await hub.anchors.run();
      await clock.advance(2 * DAY);
      await hub.retention.run();
      expect(await broken()).toEqual([]);
      const [row] = await hub.store.chainRows(chain, 10, 1);
      const { seq, hash: chainHash } = row!.event!;
      const newest = (await hub.store.lastAnchor())!;
      await hub.tamper('DELETE FROM audit_events WHERE chain = ? AND seq <= ?', [chain, seq]);
      await forge({ ...newest, number: 1, kind: 'cut', chain, seq, chainHash });
      const changed = { what: 'anchor-changed', chain: null, seq: null, anchor: 1 };
      expect(await broken()).toEqual([changed]);
    });

    it.each([
      ['before the first is read', 1],
      ['in the middle', 3],
      ['before the last is read', 5],
    ])('of anchors is no fault for who verifies them meanwhile, %s', async (_when, read) => {
      for (let i = 0; i < 1000; i++) await hub.anchors.add('head', chain, hub.log.head!);
      await clock.advance(11 * DAY);
      await hub.record(1);
      const process = stranger();
      const anchorsAfter = process.store.anchorsAfter.bind(process.store);
      let reads = 0;
      process.store.anchorsAfter = async (number, limit) => {
        reads += 1;
        if (reads === read) await hub.retention.run();
        return anchorsAfter(number, limit);
      };
      const kept = (await hub.store.lastAnchor())!;
      expect(await process.verify(kept)).toMatchObject({ valid: true, broken: [] });
      expect((await hub.store.anchorsAfter(0, 1))[0]!.number).toBe(1001);
    });

    it('deletes anchors and entries between others that are due, though a clock was ahead when they were written', async () => {
      const ahead = new AuditProcess(database, new FakeClock('2040-01-01T00:00:00Z'));
      await ahead.record(1);
      await ahead.anchors.run();
      const { chain: itsChain } = ahead.log.head!;
      for (let i = 0; i < 1600; i++) {
        const process = i >= 900 && i < 1300 ? ahead : hub;
        await process.anchors.add('head', process.log.head!.chain, process.log.head!);
      }
      const far = Date.parse('2040-01-01T00:00:00Z');
      await hub.tamper('UPDATE audit_events SET at = ? WHERE chain = ? AND seq IN (1, 4, 5, 10)', [
        far,
        chain,
      ]);
      await clock.advance(11 * DAY);
      await hub.retention.run();
      const left = await database.read<{ seq: number }>(
        'SELECT seq FROM audit_events WHERE chain = ? AND seq <= 10',
        [chain],
      );
      // Nothing is known of the last: what is behind it was written today.
      expect(left).toEqual([{ seq: 10 }]);
      expect((await hub.store.anchorsAfter(0, 1))[0]!.number).toBe(1001);
      expect(await hub.store.endOf(itsChain)).toMatchObject({ seq: 1 });
    }, 60_000);

    it('signs the end of the chain of a process whose clock was ahead', async () => {
      const ahead = new AuditProcess(database, new FakeClock('2040-01-01T00:00:00Z'));
      await ahead.record(2);
      await hub.anchors.run();
      for (let i = 0; i < 10; i++) await hub.anchors.run();
      expect(await stranger().verify()).toMatchObject({ valid: true, unsigned: 0 });
    });

    it('goes on where it was ended early', async () => {
      await hub.recordAtOnce(600);
      await clock.advance(11 * DAY);
      const aborted = new AbortController();
      const deleteUpTo = hub.store.deleteUpTo.bind(hub.store);
      hub.store.deleteUpTo = (...args) => {
        aborted.abort();
        return deleteUpTo(...args);
      };
      await hub.retention.run(aborted.signal);
      expect(await stranger().verify()).toMatchObject({ valid: true });
      hub.store.deleteUpTo = deleteUpTo;
      await hub.retention.run();
      expect(await stranger().verify()).toMatchObject({ valid: true, entries: 2 });
    });

    it('deletes old anchors as well, but says again what of them is needed', async () => {
      const quiet = stranger();
      await quiet.record(2);
      await quiet.anchors.run();
      await clock.advance(11 * DAY);
      await hub.retention.run();
      for (let i = 0; i < 1000; i++) await hub.anchors.add('head', chain, hub.log.head!);
      await clock.advance(9 * DAY);
      await quiet.record(1);
      await clock.advance(2 * DAY);
      await hub.retention.run();
      const found = await stranger().verify();
      expect(found).toMatchObject({ valid: true, chains: 2 });
      expect(found.anchors).toBeLessThan(20);
      await hub.tamper('DELETE FROM audit_events WHERE chain = ? AND seq = 3', [
        quiet.log.head!.chain,
      ]);
      expect(await broken(quiet)).toMatchObject([{ what: 'entries-missing-at-end', seq: 3 }]);
    }, 60_000);
  });
}
