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
