import { expect, it } from '@jest/globals';
import { HubError } from '../../common/hub-error.js';
import { idOf, readEnvelope } from './envelope.js';

const RIGHT = { jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: 't' } };

it('reads a request; without an id it is null, without params they are empty', () => {
  expect(readEnvelope(RIGHT)).toEqual({ id: 7, method: 'GetTask', params: { id: 't' } });
  const bare = { id: null, method: 'GetTask', params: {} };
  expect(readEnvelope({ jsonrpc: '2.0', method: 'GetTask' })).toEqual(bare);
  expect(readEnvelope({ ...RIGHT, id: null, params: null })).toEqual(bare);
});

it.each<[string, unknown]>([
  ['A2A has no batches', [RIGHT]],
  ['must be a JSON-RPC 2.0 object', null],
  ['must be a JSON-RPC 2.0 object', 'text'],
  ['jsonrpc must be', { ...RIGHT, jsonrpc: '1.0' }],
  ['id must be', { ...RIGHT, id: 1.5 }],
  ['id must be', { ...RIGHT, id: 2 ** 53 }],
  ['id must be', { ...RIGHT, id: 'x'.repeat(1025) }],
  ['method must be', { ...RIGHT, method: '' }],
  ['method must be', { ...RIGHT, method: 7 }],
])('refuses what is none: %s (%j)', (why, body) => {
  expect(() => readEnvelope(body)).toThrow(HubError);
  expect(() => readEnvelope(body)).toThrow(why);
});

it('takes the id of what is refused as well, where it is one', () => {
  const longest = 'x'.repeat(1024);
  expect(readEnvelope({ ...RIGHT, id: longest }).id).toBe(longest);
  expect(idOf({ id: longest, method: 7 })).toBe(longest);
  for (const none of [null, [RIGHT], { id: {} }, { id: `${longest}x` }, {}]) {
    expect(idOf(none)).toBeNull();
  }
});
