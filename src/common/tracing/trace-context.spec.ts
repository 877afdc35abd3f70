import { describe, expect, it } from '@jest/globals';
import { readTraceparent, readTracestate, writeTraceparent } from './trace-context.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it.each([
    ['00', '01', true],
    ['00', '00', false],
    ['00', '02', false],
    ['00', '03', true],
    ['cc', '01', true],
  ])('of version %s with flags %s is sampled: %s', (version, flags, isSampled) => {
    expect(readTraceparent(`${version}-${TRACE}-${SPAN}-${flags}`)).toEqual({
      ...{ traceId: TRACE, spanId: SPAN, isSampled },
    });
  });

  it.each([
    ['', 'nothing'],
    [`ff-${TRACE}-${SPAN}-01`, 'version ff'],
    [`00-${'0'.repeat(32)}-${SPAN}-01`, 'a trace of zeros'],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, 'a span of zeros'],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`, 'capitals'],
    [`00-${TRACE}-${SPAN}-01-more`, 'more than version 00 has'],
    [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, 'two'],
  ])('%j is none (%s)', (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });

  it('is written as it is read', () => {
    const text = `00-${TRACE}-${SPAN}-01`;
    expect(writeTraceparent(readTraceparent(text)!)).toBe(text);
  });
});

describe('a tracestate', () => {
  it.each([
    ['a=1', 'a=1'],
    [' rojo=00f067aa0ba902b7 ,\tcongo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
    ['tenant@vendor=a b!', 'tenant@vendor=a b!'],
    ['a=1,,b=2', 'a=1,b=2'],
  ])('%j is handed on as %j', (header, expected) => {
    expect(readTracestate(header)).toBe(expected);
  });

  it.each<[string | undefined, string]>([
    [undefined, 'none'],
    ['', 'an empty one'],
    ['a', 'a member without a value'],
    ['A=1', 'a key in capitals'],
    ['a=1=2', 'a value with ='],
    ['a=\u00fc', 'other characters'],
    ['a=1\r\nx: y', 'a line break'],
    [Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(','), 'more than 32 members'],
    [`a=${'x'.repeat(257)}`, 'a value that is too long'],
  ])('%j is dropped (%s)', (header) => {
    expect(readTracestate(header)).toBeUndefined();
  });

  it('loses whole members from the end when it is too long', () => {
    const long = (name: string): string => `${name}=${'x'.repeat(198)}`;
    const header = [long('a'), long('b'), long('c'), 'd=1'].join(',');
    expect(readTracestate(header)).toBe([long('a'), long('b')].join(','));
  });
});
