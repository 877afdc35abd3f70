import type {
  ServerUnaryCall,
  ServerWritableStream,
  StatusObject,
  UntypedHandleCall,
  sendUnaryData,
} from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import { refuseEnded } from '../../auth/index.js';
import { HubError, hubErrorOf } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import type { ProtocolVersion } from '../../routing/index.js';
import { Admission } from '../admission.js';
import { activatedHeaders, callContextOf, single } from '../call-context.js';
import { checkVersion } from '../protocol-version.js';
import { Callers } from './callers.js';
import { grpcStatusOf } from './grpc-error.js';
import {
  type GrpcMethod,
  type GrpcRequest,
  type GrpcService,
  SERVICE_NAMES,
} from './grpc-service.js';
import { GrpcStreams } from './grpc-streams.js';
import { headersOf, metadataOf } from './metadata.js';

type Method<Kind> = Extract<GrpcMethod, { readonly kind: Kind }>;

/** Serves the calls of the A2A services: the caller, the version, the answer or stream, the failure. */
@Injectable()
export class GrpcCalls {
  private readonly callers: Callers;

  constructor(
    private readonly admission: Admission,
    private readonly streams: GrpcStreams,
    private readonly config: AppConfig,
    private readonly log: Log,
  ) {
    this.callers = new Callers((headers) => admission.admit(headers));
  }

  /** Lets known callers in at the methods of these services, before their message is read. */
  guard(services: readonly GrpcService[]): ReturnType<Callers['guard']> {
    const versions = new Map(
      services.flatMap(({ methods, version }) =>
        [...methods.keys()].map((path) => [path, version] as const),
      ),
    );
    return this.callers.guard((path) => {
      const version = versions.get(path);
      return version && ((thrown) => this.statusOf(thrown, version));
    });
  }

  /** How the server calls a method. */
  handlerOf(service: GrpcService, method: GrpcMethod): UntypedHandleCall {
    return method.kind === 'unary'
      ? (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) =>
          void this.answer(service, method, call, answer)
      : (call: ServerWritableStream<Buffer, Buffer>) => void this.stream(service, method, call);
  }

  private async answer(
    service: GrpcService,
    method: Method<'unary'>,
    call: ServerUnaryCall<Buffer, Buffer>,
    answer: sendUnaryData<Buffer>,
  ): Promise<void> {
    const gone = new AbortController();
    call.once('cancelled', () => gone.abort());
    const unwatch = this.admission.watch(this.callers.of(call.metadata), gone);
    try {
      refuseEnded(gone.signal);
      const request = this.requestOf(service, call, gone.signal);
      const message = await method.run(request);
      refuseEnded(gone.signal);
      call.sendMetadata(metadataOf(activatedHeaders(request.call)));
      answer(null, message);
    } catch (thrown) {
      answer(this.statusOf(thrown, service.version));
    } finally {
      unwatch();
    }
  }

  private async stream(
    service: GrpcService,
    method: Method<'stream'>,
    call: ServerWritableStream<Buffer, Buffer>,
  ): Promise<void> {
    const gone = new AbortController();
    call.once('cancelled', () => gone.abort());
    const statusOf = (thrown: unknown): StatusObject => this.statusOf(thrown, service.version);
    const unwatch = this.admission.watch(this.callers.of(call.metadata), gone);
    await this.streams.serve(call, {
      gone,
      statusOf,
      run: async (emit) => {
        refuseEnded(gone.signal);
        const request = this.requestOf(service, call, gone.signal);
        let begun = false;
        await method.run(request, (message) => {
          if (!begun) call.sendMetadata(metadataOf(activatedHeaders(request.call)));
          begun = true;
          return emit(message);
        });
      },
    });
    unwatch();
  }

  /**
   * A call with its context. The service says the version, and `a2a-version` may not say another; a
   * message may be as large as a body over HTTP.
   */
  private requestOf(
    { version }: GrpcService,
    { metadata, request }: Pick<ServerUnaryCall<Buffer, Buffer>, 'metadata' | 'request'>,
    signal: AbortSignal,
  ): GrpcRequest {
    const headers = headersOf(metadata);
    const other = SERVICE_NAMES[version === '1.0' ? '0.3' : '1.0'];
    checkVersion(single(headers['a2a-version']), version, 'service', other);
    const limit = this.config.server.bodyLimit;
    if (request.length > limit) {
      throw new HubError('PAYLOAD_TOO_LARGE', `A message must be at most ${limit} bytes.`);
    }
    const principal = this.callers.of(metadata);
    const source = { headers, principal, agentId: undefined, signal };
    return { message: request, headers, call: callContextOf(source, version) };
  }

  private statusOf(thrown: unknown, version: ProtocolVersion): StatusObject {
    const error = hubErrorOf(thrown);
    if (error.reason === 'INTERNAL') this.log.error({ err: thrown }, 'gRPC call failed');
    return grpcStatusOf(error, version);
  }
}
