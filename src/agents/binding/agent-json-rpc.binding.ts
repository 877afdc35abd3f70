import type { Binding } from './binding.js';
import { connectorOver, OVER_HTTP } from './http-address.js';
import { HttpExchange } from './http-exchange.js';
import { JsonRpcTransport } from './json-rpc.transport.js';
import { LegacyJsonRpcTransport } from './legacy-json-rpc.transport.js';
import { addressFor, paramsBeside } from './method-address.js';

/** JSON-RPC (A2A §9). */
export const JSON_RPC = {
  ...OVER_HTTP,
  name: 'JSONRPC',
  hasFileForms: false,
  connect: () => {
    let calls = 0;
    return connectorOver((request) => {
      const { url, version, method, contextId, onDeviation } = request;
      const address = addressFor(url, method);
      if (address !== url) onDeviation('address-per-method');
      const exchange = new HttpExchange(request.http, request);
      if (version === '1.0') {
        return { exchange, transport: new JsonRpcTransport(address, exchange, ++calls) };
      }
      const otherForm = (): void => onDeviation('other-form');
      const params = paramsBeside(url, method, contextId);
      const transport = new LegacyJsonRpcTransport(address, exchange, otherForm, params);
      return { exchange, transport };
    });
  },
} as const satisfies Binding;
