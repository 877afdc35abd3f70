import { describe, expect, it } from '@jest/globals';
import { type CallNote, noteTrace } from '../common/call-note.js';
import { activatedHeaders, callContextOf, type CallSource } from './context-of-headers.js';

describe('the header of active extensions', () => {
  const active = (...uris: string[]): Set<string> => new Set(uris);

  it('has the name of the version, and is left out when there are none', () => {
    const activated = active('urn:one', 'urn:two');
    expect(activatedHeaders({ activated, version: '1.0' })).toEqual({
      'a2a-extensions': 'urn:one, urn:two',
    });
    expect(activatedHeaders({ activated, version: '0.3' })).toEqual({
      'x-a2a-extensions': 'urn:one, urn:two',
    });
    expect(activatedHeaders({ activated: active(), version: '1.0' })).toEqual({});
  });

  it('leaves out what no header can carry, such as a message may name', () => {
    const activated = active('urn:ünï', 'urn:a,b', 'urn:line\r\nx: y', 'urn:\u2713', '', 'urn:one');
    expect(activatedHeaders({ activated, version: '1.0' })).toEqual({
      'a2a-extensions': 'urn:one',
    });
    expect(activatedHeaders({ activated: active('\u2713'), version: '0.3' })).toEqual({});
  });
});

describe('the extensions of a call', () => {
  const uris = (count: number, from = 0): string =>
    Array.from({ length: count }, (_, n) => `urn:x:${from + n}`).join(', ');
  const read = (headers: CallSource['headers']): readonly string[] => {
    const source = { headers, note: { id: 'r' }, agentId: undefined };
    return callContextOf(source as unknown as CallSource, '1.0').extensions;
  };

  it('are up to 100, of both names of the header, each counted once', () => {
    const headers = { 'a2a-extensions': uris(60), 'x-a2a-extensions': uris(60, 40) };
    expect(read(headers)).toEqual(uris(100).split(', '));
  });

  it.each([
    ['A2A-Extensions', { 'a2a-extensions': uris(101) }, 'must name at most 100'],
    [
      'A2A-Extensions',
      { 'a2a-extensions': uris(60), 'x-a2a-extensions': uris(60, 41) },
      'must name at most 100',
    ],
    ['X-A2A-Extensions', { 'x-a2a-extensions': uris(101) }, 'must name at most 100'],
    [
      'A2A-Extensions',
      { 'a2a-extensions': `urn:${'x'.repeat(4093)}` },
      'must name none of more than 4096 characters',
    ],
  ])('are refused beyond the limits, naming %s', (field, headers, description) => {
    const reads = () => read(headers);
    expect(reads).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PARAMS',
        violations: [{ field, description }],
      }),
    );
  });
});

describe('the trace context of a call', () => {
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  it.each<[string, string | undefined]>([
    [parent, parent],
    [
      `01${parent.slice(2)}-what-later-versions-add`,
      `01${parent.slice(2)}-what-later-versions-add`,
    ],
    [`${parent}-more`, undefined],
    [`${parent}-ü`, undefined],
    [`${parent}x`, undefined],
    ['nonsense', undefined],
  ])('of the header %s is %s, since agents get it as it is', (traceparent, expected) => {
    const note: CallNote = { id: 'r' };
    const source = { headers: { traceparent }, note, agentId: undefined };
    const call = callContextOf(source as unknown as CallSource, '1.0');
    expect(call.traceparent).toBe(expected);
    expect(note.traceId).toBe(expected && '0af7651916cd43dd8448eb211c80319c');
  });

  it('is that of its span, where it has one', () => {
    const note: CallNote = { id: 'r' };
    const own = parent.replace('b7ad6b7169203331', '00f067aa0ba902b7');
    noteTrace(note, { traceparent: own, span: undefined });
    const headers = { traceparent: parent, tracestate: 'a=1' };
    const source = { headers, note, agentId: undefined };
    const call = callContextOf(source as unknown as CallSource, '1.0');
    expect([call.traceparent, call.tracestate]).toEqual([own, 'a=1']);
  });

  it('has no tracestate without a traceparent', () => {
    const source = { headers: { tracestate: 'a=1' }, note: { id: 'r' }, agentId: undefined };
    expect(callContextOf(source as unknown as CallSource, '1.0').tracestate).toBeUndefined();
  });
});
