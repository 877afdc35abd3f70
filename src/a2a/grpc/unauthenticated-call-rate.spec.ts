import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { UnauthenticatedCallRate } from './unauthenticated-call-rate.js';

/** A connection, and what is done to it. */
class Connection extends EventEmitter {
  destroyed = false;
  readonly did: string[] = [];
  readonly socket = {
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
  beforeEach(() => {
    now = 1000;
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const call = (rate: UnauthenticatedCallRate, connection: Connection, times: number): void => {
    for (let n = 0; n < times; n++) rate.took(connection.call());
  };

  it('never wait when they come now and then, whatever others do', () => {
    const rate = new UnauthenticatedCallRate(() => now);
    const [calm, flood] = [new Connection(), new Connection()];
    for (let second = 0; second < 60; second++) {
      call(rate, calm, 1);
      call(rate, flood, 20);
      now += 1000;
    }
    expect(calm.did).toEqual([]);
  });

  it('wait with their sender when a connection has too many: it is not read for a while', () => {
    const rate = new UnauthenticatedCallRate(() => now);
    const flood = new Connection();
    call(rate, flood, 20);
    expect(flood.did).toEqual([]);
    call(rate, flood, 5);
    expect(flood.did).toEqual(['stop']);
    jest.advanceTimersByTime(5000);
    expect(flood.did).toEqual(['stop', 'start']);
  });

  it('have their connection closed when far too many come at once', () => {
    const rate = new UnauthenticatedCallRate(() => now);
    const flood = new Connection();
    call(rate, flood, 1000);
    expect(flood.did.at(-1)).toBe('destroy');
    jest.advanceTimersByTime(10_000);
    expect(flood.did).not.toContain('start');
  });

  it('share what the process has for them when many connections call', () => {
    const rate = new UnauthenticatedCallRate(() => now);
    const floods = Array.from({ length: 100 }, () => new Connection());
    for (const flood of floods) call(rate, flood, 20);
    now += 1000;
    for (const flood of floods) call(rate, flood, 3);
    expect(floods.filter(({ did }) => did.includes('stop'))).toHaveLength(100);
  });

  it('are refused on a connection of somebody who is known, which is read on', () => {
    const rate = new UnauthenticatedCallRate(() => now);
    const proxy = new Connection();
    rate.known(proxy.call());
    call(rate, proxy, 500);
    expect(new Set(proxy.did)).toEqual(new Set(['refuse']));
    expect(proxy.did).toHaveLength(480);
  });
});
