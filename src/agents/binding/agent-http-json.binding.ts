import type { Binding } from './binding.js';
import { connectorOver, OVER_HTTP } from './http-address.js';
import { HttpExchange } from './http-exchange.js';
import { LegacyRestTransport } from './legacy-rest.transport.js';
import { RestTransport } from './rest.transport.js';

/** HTTP+JSON (A2A §11). */
export const HTTP_JSON = {
  ...OVER_HTTP,
  name: 'HTTP+JSON',
  hasFileForms: true,
  connect: () =>
    connectorOver((request) => {
      const { url, version, files, onDeviation } = request;
      const exchange = new HttpExchange(request.http, request);
      if (version === '1.0') return { exchange, transport: new RestTransport(url, exchange) };
      const otherForm = (): void => onDeviation('other-form');
      return { exchange, transport: new LegacyRestTransport(url, exchange, otherForm, files) };
    }),
} as const satisfies Binding;
