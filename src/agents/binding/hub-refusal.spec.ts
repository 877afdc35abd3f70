import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { failureOfGrpc } from './grpc-failure.js';
import { failureOf, protocolErrorIn } from './protocol-error.js';
import { hubRefusalOf } from './hub-refusal.js';

const LOOP = { reason: 'NO_ROUTE', domain: 'a2a-hub', metadata: { hops: 'one,two' } };
const said = (json: unknown): string | undefined => {
  const error = protocolErrorIn(json);
  return error && failureOf(error, { httpStatus: 200, afterEvent: false }).publicMessage;
};

/** A field of Protocol Buffers with a length, which is below 128 here. */
const bytes = (field: number, ...content: readonly (string | Buffer)[]): Buffer => {
  const all = Buffer.concat(content.map((each) => Buffer.from(each as string)));
  return Buffer.concat([Buffer.from([field * 8 + 2, all.length]), all]);
};

describe('the refusal of another hub', () => {
  it('is told in words of this one, whichever form it has', () => {
    const code = -32602;
    const message = 'secret text of the peer';
    const told = 'refused the request (its route is a loop of hubs)';
    expect(said({ error: { code, message, data: [LOOP] } })).toBe(told);
    expect(said({ error: { code, message, data: LOOP } })).toBe(told);
    expect(
      said({ error: { code: 400, status: 'INVALID_ARGUMENT', message, details: [LOOP] } }),
    ).toBe(told);
    expect(said({ code, message, data: LOOP })).toBe(told);
  });

  it('is understood in the trailers of gRPC', () => {
    const hops = bytes(3, bytes(1, 'hops'), bytes(2, 'one,two'));
    const info = [bytes(1, 'NO_ROUTE'), bytes(2, 'a2a-hub'), hops];
    const type = bytes(1, 'type.googleapis.com/google.rpc.ErrorInfo');
    const metadata = new Metadata();
    metadata.set('grpc-status-details-bin', bytes(3, type, bytes(2, ...info)));
    const error = { code: status.INVALID_ARGUMENT, details: 'secret', metadata };
    const failure = failureOfGrpc(Object.assign(new Error('secret'), error), {
      afterEvent: false,
      secrets: [],
    });
    expect(failure.publicMessage).toBe('refused the request (its route is a loop of hubs)');
  });

  it.each([
    ['somebody else’s reason', { ...LOOP, domain: 'example.com' }, undefined],
    ['no reason at all', { ...LOOP, reason: undefined }, undefined],
    ['a reason without words', { ...LOOP, reason: 'toString' }, undefined],
    ['words that are no reason', { ...LOOP, reason: 'LOOP' }, undefined],
    ['no agent', { ...LOOP, metadata: { skills: 'a' } }, 'NO_ROUTE'],
    ['full queues', { reason: 'AGENT_BUSY', domain: 'a2a-hub' }, 'AGENT_BUSY'],
    ['no object', 'NO_ROUTE', undefined],
  ])('with %s', (_, details, expected) => {
    expect([hubRefusalOf(details), hubRefusalOf([null, details])]).toEqual([expected, expected]);
  });
});
