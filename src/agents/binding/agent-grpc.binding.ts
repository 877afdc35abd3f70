import type { Binding, CallRequest, OpenCall } from './binding.js';
import { GrpcChannels } from './grpc-channels.js';
import { GrpcExchange } from './grpc-exchange.js';
import { checkMetadata } from './grpc-metadata.js';
import { firstAllowed, grpcUrls, isGrpcScheme } from './grpc-url.js';
import { GrpcTransport } from './grpc.transport.js';
import { LegacyGrpcTransports } from './legacy-grpc.transport.js';

/** gRPC (A2A §10). */
export const GRPC = {
  name: 'GRPC',
  addressRule: 'host:port',
  hasFileForms: true,
  isOverHttp: false,
  urls: grpcUrls,
  ownsScheme: isGrpcScheme,
  check: async (egress, address) =>
    (await firstAllowed(grpcUrls(address), (url) => egress.check(url, 'grpc'))).answer,
  checkHeaders: checkMetadata,
  connect: (egress, maxAnswerBytes) => {
    const channels = new GrpcChannels(egress, maxAnswerBytes);
    const legacy = new LegacyGrpcTransports();
    const open = (request: CallRequest): OpenCall => {
      const { url: address, version, isControl, files } = request;
      const kind = isControl ? 'control' : 'message';
      const exchange = new GrpcExchange(channels, { ...request, kind, address });
      const isModern = version === '1.0';
      const transport = isModern ? new GrpcTransport(exchange) : legacy.over(exchange, files);
      return { exchange, transport };
    };
    return { open, close: () => channels.close() };
  },
} as const satisfies Binding;
