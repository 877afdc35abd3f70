import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { UnauthenticatedCallRate } from './unauthenticated-call-rate.js';

/** A connection, and what is done to it. */
class Connection extends EventEmitter {
  destroyed = false;
  readonly did: string[] = [];

  constructor(private readonly address = '192.0.2.1') {
    super();
  }

  readonly socket = {
    remoteAddress: this.address,
    _handle: { readStop: () => this.did.push('stop'), readStart: () => this.did.push('start') },
  };

  destroy(): void {
    this.destroyed = true;
    this.did.push('destroy');
    this.emit('close');
  }

  call(): ServerHttp2Stream {
    const close = (): number => this.did.push('refuse');
    return { session: this, close } as unknown as ServerHttp2Stream;
  }
}

describe('calls without a key', () => {
  let now = 0;
  let reports: [connections: number, address: string | undefined][] = [];
  const report = (...told: [number, string | undefined]): number => reports.push(told);
  beforeEach(() => {
    now = 1000;
    reports = [];
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** How many are to be answered. */
  const call = (rate: UnauthenticatedCallRate, connection: Connection, times: number): number => {
    let answered = 0;
    for (let n = 0; n < times; n++) answered += Number(rate.took(connection.call()));
    return answered;
  };

  it('never wait when they come now and then, whatever others do', () => {
    const rate = new UnauthenticatedCallRate(report, () => now);
    const [calm, flood] = [new Connection(), new Connection()];
    for (let second = 0; second < 60; second++) {
      call(rate, calm, 1);
      call(rate, flood, 20);
      now += 1000;
    }
    expect(calm.did).toEqual([]);
  });

  it('wait with their sender when a connection has too many: it is not read for a while', () => {
    const rate = new UnauthenticatedCallRate(report, () => now);
    const flood = new Connection();
    call(rate, flood, 20);
    expect(flood.did).toEqual([]);
    expect(call(rate, flood, 1)).toBe(1);
    expect(flood.did).toEqual(['stop']);
    jest.advanceTimersByTime(5000);
    expect(flood.did).toEqual(['stop', 'start']);
  });

  it('are refused when they had arrived before their connection was stopped', () => {
    const rate = new UnauthenticatedCallRate(report, () => now);
    const flood = new Connection();
    expect(call(rate, flood, 100)).toBe(21);
    expect(flood.did).toEqual(['stop', ...Array.from({ length: 79 }, () => 'refuse')]);
  });

  it('are answered 200 a second in a process, however many connections bring them, old or new', () => {
    const rate = new UnauthenticatedCallRate(report, () => now);
    const old = Array.from({ length: 100 }, (_, n) => new Connection(`192.0.2.${n}`));
    let answered = 0;
    for (let tenth = 0; tenth < 100; tenth++) {
      for (const connection of old) answered += call(rate, connection, 1);
      for (let n = 0; n < 100; n++) {
        answered += call(rate, new Connection(`198.51.100.${n}`), 2);
      }
      now += 100;
    }
    expect(answered).toBeGreaterThan(1500);
    // One second's worth comes at once.
    expect(answered).toBeLessThanOrEqual(2200);
  });

  it('have a part kept for connections that ask little, and for addresses that do', () => {
    const rate = new UnauthenticatedCallRate(report, () => now);
    const prober = new Connection();
    call(rate, prober, 1);
    let [old, fresh] = [0, 0];
    for (let n = 0; n < 20; n++) {
      for (let tenth = 0; tenth < 30; tenth++) {
        now += 100;
        for (let flood = 0; flood < 50; flood++) {
          call(rate, new Connection(), 20);
          // Of one network.
          call(rate, new Connection(`2001:db8::${flood}`), 20);
        }
      }
      old += call(rate, prober, 1);
      fresh += call(rate, new Connection('198.51.100.7'), 1);
    }
    expect([old, fresh]).toEqual([20, 20]);
  });

  it('have their connection closed when far too many come at once', () => {
    const rate = new UnauthenticatedCallRate(report, () => now);
    const flood = new Connection();
    call(rate, flood, 1000);
    expect(flood.did.indexOf('destroy')).toBeGreaterThanOrEqual(100);
    jest.advanceTimersByTime(10_000);
    expect(flood.did).not.toContain('start');

    // Sooner while there is no room for others.
    for (let n = 0; n < 30; n++) call(rate, new Connection(), 20);
    const next = new Connection();
    call(rate, next, 1000);
    expect(next.did.indexOf('destroy')).toBeLessThan(50);
  });

  it('are reported when connections are closed for them, at most each ten seconds', () => {
    const rate = new UnauthenticatedCallRate(report, () => now);
    const flood = (): number => call(rate, new Connection(), 1000);
    for (let n = 0; n < 5; n++) flood();
    expect(reports).toEqual([[1, '192.0.2.1']]);
    now += 10_000;
    flood();
    expect(reports.slice(1)).toEqual([[5, '192.0.2.1']]);
  });

  it('share what the process has for them when many connections call', () => {
    const rate = new UnauthenticatedCallRate(report, () => now);
    const floods = Array.from({ length: 100 }, () => new Connection());
    for (const flood of floods) call(rate, flood, 20);
    now += 1000;
    for (const flood of floods) call(rate, flood, 3);
    expect(floods.filter(({ did }) => did.includes('stop'))).toHaveLength(100);
  });

  it('are refused on a connection of somebody who is known, which is read on', () => {
    const rate = new UnauthenticatedCallRate(report, () => now);
    const proxy = new Connection();
    rate.known(proxy.call());
    call(rate, proxy, 500);
    expect(new Set(proxy.did)).toEqual(new Set(['refuse']));
    expect(proxy.did).toHaveLength(480);
  });
});
