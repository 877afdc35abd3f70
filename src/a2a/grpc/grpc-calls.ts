import type {
  ServerInterceptor,
  ServerUnaryCall,
  ServerWritableStream,
  StatusObject,
  UntypedHandleCall,
  sendUnaryData,
} from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import { type Principal, refuseEnded } from '../../auth/index.js';
import { faultOf, hubErrorOf } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { turnFor } from '../../common/slices.js';
import { AppConfig } from '../../config/index.js';
import type { ProtocolVersion } from '../../protocol/protocol-version.js';
import { CallAdmission } from '../call-admission.js';
import { activatedHeaders, callContextOf, single } from '../context-of-headers.js';
import { type AnswerReservation, HANDED_AT_ONCE } from '../limits/answer-budget.js';
import { type Admitted, RequestCapacity } from '../limits/request-capacity.js';
import { type MessageLimits, messageLimitsOf } from '../limits/message-limits.js';
import { checkVersion } from '../requested-version.js';
import { Callers } from './callers.js';
import { grpcStatusOf } from './grpc-error.js';
import {
  type GrpcMethod,
  type GrpcRequest,
  type GrpcService,
  SERVICE_NAMES,
} from './grpc-service.js';
import { MAX_HEALTH_REQUEST_BYTES } from './grpc-health.js';
import { GrpcObserver } from './grpc-observer.js';
import { GrpcStreams } from './grpc-streams.js';
import { DONE, MAX_SEND_BYTES, readerOf, sendLarge, untilClosed } from './large-answer.js';
import { IncomingMessages, type MessageRules } from './incoming-messages.js';
import { requestLimit, scanRequest } from './message-scan.js';
import { headersOf, metadataOf } from './metadata.js';

/** A call whose message has come. */
type Received = Pick<ServerUnaryCall<Buffer, Buffer>, 'metadata' | 'request' | 'getPath'>;

/** A value of a `Struct` takes more fields than its JSON has structural characters. */
const FIELDS_PER_VALUE = 2;

type Method<Kind> = Extract<GrpcMethod, { readonly kind: Kind }>;

/** Serves the calls of the A2A services: the caller, the version, the answer or stream, the failure. */
@Injectable()
export class GrpcCalls {
  private readonly callers: Callers;
  private readonly messages: IncomingMessages;
  private readonly limits: MessageLimits;
  /** The versions of the methods, by their paths. */
  private readonly versions = new Map<string, ProtocolVersion>();

  constructor(
    private readonly admission: CallAdmission,
    private readonly streams: GrpcStreams,
    private readonly capacity: RequestCapacity,
    private readonly log: Log,
    private readonly observer: GrpcObserver,
    config: AppConfig,
  ) {
    this.limits = messageLimitsOf(config);
    this.messages = new IncomingMessages(capacity, (path) => this.rulesOf(path), log);
    this.callers = new Callers(async (headers, metadata) => {
      const socket = this.messages.streamOf(metadata)?.session?.socket;
      const connection = { listener: 'grpc', socket } as const;
      const isKnown = (known: Principal): void => this.observer.from(metadata, known);
      const caller = await admission.admit(headers, connection, isKnown);
      this.messages.from(metadata, caller);
      return caller;
    });
  }

  /** Watches what is received; the interceptor next to the wire. */
  get receiving(): ServerInterceptor {
    return this.messages.intercept;
  }

  /** Lets known callers in at the methods of these services, before their message is read. */
  guard(services: readonly GrpcService[]): ReturnType<Callers['guard']> {
    for (const { methods, version } of services) {
      for (const path of methods.keys()) this.versions.set(path, version);
    }
    return this.callers.guard((path) => {
      const version = this.versions.get(path);
      return version && ((thrown) => this.statusOf(thrown, version));
    });
  }

  private rulesOf(path: string): MessageRules {
    const version = this.versions.get(path);
    return {
      maxBytes:
        version === undefined ? MAX_HEALTH_REQUEST_BYTES : requestLimit(path, this.limits.maxBytes),
      statusOf: (error) => this.statusOf(error, version ?? '1.0'),
    };
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
    const reservation = this.capacity.answers.begin(this.callers.of(call.metadata));
    let admitted: Admitted | undefined;
    try {
      admitted = await this.admit(call, gone.signal);
      refuseEnded(gone.signal);
      const request = await this.requestOf(service, call, gone.signal, reservation);
      const message = await method.run(request);
      refuseEnded(gone.signal);
      reservation.made(message.length);
      call.sendMetadata(metadataOf(activatedHeaders(request.call)));
      admitted.taken();
      const stream = this.messages.streamOf(call.metadata);
      // The library refuses what is larger.
      if (stream === undefined || message.length > MAX_SEND_BYTES) return answer(null, message);
      if (message.length <= HANDED_AT_ONCE) answer(null, message);
      else if (await sendLarge(stream, message, reservation)) answer(DONE);
      await reservation.leaves(untilClosed(stream), readerOf(stream));
    } catch (thrown) {
      answer(this.statusOf(thrown, service.version));
    } finally {
      reservation.end();
      admitted?.ended();
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
    const reservation = this.capacity.answers.begin(this.callers.of(call.metadata));
    const stream = this.messages.streamOf(call.metadata);
    let admitted: Admitted | undefined;
    await this.streams.serve(call, {
      ...{ gone, statusOf, reservation, stream },
      run: async (emit) => {
        admitted = await this.admit(call, gone.signal);
        refuseEnded(gone.signal);
        const request = await this.requestOf(service, call, gone.signal, reservation);
        let begun = false;
        await method.run(request, (message) => {
          if (!begun) call.sendMetadata(metadataOf(activatedHeaders(request.call)));
          begun = true;
          admitted?.taken();
          return emit(message);
        });
      },
    });
    unwatch();
    // What has not been taken yet is in memory until then.
    if (admitted !== undefined && stream !== undefined) {
      await this.capacity.answers.untilLeft(untilClosed(stream), readerOf(stream));
    }
    reservation.end();
    admitted?.ended();
  }

  /** Counts the call as open and waits for its turn. */
  private async admit({ metadata, request }: Received, signal: AbortSignal): Promise<Admitted> {
    const reservation = this.messages.takeReservation(metadata);
    const caller = this.callers.of(metadata);
    try {
      return await this.capacity.admit(caller, { bytes: request.length, reservation }, signal);
    } catch (error) {
      reservation.free();
      throw error;
    }
  }

  /**
   * A call with its context. The service says the version, and `a2a-version` may not say another; a
   * message may be as large as a body over HTTP, and hold as many values. A long one is looked through in a turn
   * of long work; it comes in the next one, for who decodes it.
   */
  private async requestOf(
    { version }: GrpcService,
    call: Received,
    signal: AbortSignal,
    { take: reserveAnswer, release: releaseAnswer }: AnswerReservation,
  ): Promise<GrpcRequest> {
    const { metadata, request } = call;
    const headers = headersOf(metadata);
    const other = SERVICE_NAMES[version === '1.0' ? '0.3' : '1.0'];
    checkVersion(single(headers['a2a-version']), version, 'service', other);
    await turnFor(request.length);
    scanRequest(call.getPath(), request, FIELDS_PER_VALUE * this.limits.maxValues);
    await turnFor(request.length);
    refuseEnded(signal);
    const principal = this.callers.of(metadata);
    const note = this.observer.noteOf(metadata);
    const source = {
      ...{ headers, principal, agentId: undefined, signal, note },
      ...{ reserveAnswer, releaseAnswer },
    };
    return { message: request, headers, call: callContextOf(source, version) };
  }

  private statusOf(thrown: unknown, version: ProtocolVersion): StatusObject {
    const error = hubErrorOf(thrown);
    const err = faultOf(error);
    if (err !== undefined) this.log.error({ err }, 'gRPC call failed');
    return grpcStatusOf(error, version);
  }
}
