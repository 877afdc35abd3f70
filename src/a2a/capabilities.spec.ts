import { expect, it } from '@jest/globals';
import { capabilitiesOf, checkListed, servedInterfaces } from './capabilities.js';

it('lists a binding before it can be mounted', () => {
  for (const binding of servedInterfaces({ grpc: { port: -1 } } as never)) {
    expect(() => checkListed(binding)).not.toThrow();
  }
  const another = { binding: 'WEBSOCKET', version: '1.0' } as const;
  expect(() => checkListed(another)).toThrow('WEBSOCKET 1.0');
});

it('opens gRPC only with a port', () => {
  const bindings = servedInterfaces({ grpc: { port: 0 } } as never).map(({ binding }) => binding);
  expect(new Set(bindings)).toEqual(new Set(['JSONRPC', 'HTTP+JSON']));
});

it('declares an extended card where callers have keys', () => {
  const declared = (mode: 'keys' | 'none'): unknown => capabilitiesOf({ auth: { mode } });
  expect(declared('keys')).toMatchObject({ streaming: true, extendedAgentCard: true });
  expect(declared('none')).toMatchObject({ pushNotifications: true, extendedAgentCard: false });
});
