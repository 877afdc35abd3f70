import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../auth/index.js';
import { SystemClock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import { Uploads } from './uploads.js';

const uploads = new Uploads(new SystemClock(), {} as Log);

function upload(): { bytes: number | undefined; stalled: string | undefined; done: () => void } {
  const state = { bytes: 0 as number | undefined, stalled: undefined as string | undefined };
  const done = uploads.watch({
    received: () => state.bytes,
    stalled: (error) => (state.stalled = error.message),
  });
  return Object.assign(state, { done });
}

describe('Uploads', () => {
  it('ends a body that brings too little in a span, not one that goes on', () => {
    const slow = upload();
    const steady = upload();
    uploads.look();
    slow.bytes = 60_000;
    steady.bytes = 70_000;
    uploads.look();
    expect(slow.stalled).toMatch(/^The body came too slowly: 65536 bytes in 10 s/);
    expect(steady.stalled).toBeUndefined();
    steady.bytes = 140_000;
    uploads.look();
    expect(steady.stalled).toBeUndefined();
    uploads.look();
    expect(steady.stalled).toBeDefined();
  });

  it('does not end one that is new, that waits for the hub, or that is whole', () => {
    const fresh = upload();
    uploads.look();
    expect(fresh.stalled).toBeUndefined();
    const waiting = upload();
    waiting.bytes = undefined;
    const whole = upload();
    whole.done();
    for (let i = 0; i < 3; i++) uploads.look();
    expect([waiting.stalled, whole.stalled]).toEqual([undefined, undefined]);
  });

  it('ends the latest small bodies when too many of one principal or of all are still coming', () => {
    const reasons: string[] = [];
    const small = (id: string): (() => void) => {
      const caller: Principal = { id, organization: id, scopes: new Set() };
      return uploads.watch({
        received: () => 1,
        uncountedOf: () => caller,
        stalled: ({ reason }) => reasons.push(`${id} ${reason}`),
      });
    };
    const atOnce = Array.from({ length: 5000 }, () => small('ann'));
    uploads.count();
    for (const done of atOnce) done();
    expect(reasons).toEqual([]);

    for (const id of ['ann', 'bob', 'cid', 'dan', 'eve']) {
      for (let i = 0; i < 1000; i++) small(id);
    }
    uploads.count();
    uploads.count();
    expect(reasons).toEqual([]);
    small('ann');
    small('fay');
    uploads.count();
    expect(reasons).toEqual([]);
    uploads.count();
    expect(reasons).toEqual(['ann RATE_LIMITED', 'fay UNAVAILABLE']);
  });
});
