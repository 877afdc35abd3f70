import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  type StatusObject,
} from '@grpc/grpc-js';
import type { Principal, RequestHeaders } from '../../auth/index.js';
import { headersOf } from './metadata.js';

/** The status that refuses a caller. */
type Refusal = (thrown: unknown) => StatusObject;

/** Finds out who calls before the message is read, and remembers it by the metadata of the call. */
export class Callers {
  private readonly known = new WeakMap<Metadata, Principal>();

  constructor(
    private readonly admit: (headers: RequestHeaders, metadata: Metadata) => Promise<Principal>,
  ) {}

  /** The caller of a guarded method. */
  of(metadata: Metadata): Principal {
    return this.known.get(metadata)!;
  }

  /** Guards the methods that `refusalAt` has a refusal for; others are open to everybody. */
  guard(refusalAt: (path: string) => Refusal | undefined): ServerInterceptor {
    return ({ path }, call) => {
      const refusal = refusalAt(path);
      if (refusal === undefined) return new ServerInterceptingCall(call);
      return new ServerInterceptingCall(call, {
        start: (next) =>
          next({
            onReceiveMetadata: (metadata, proceed) => {
              this.admit(headersOf(metadata), metadata).then(
                (principal) => {
                  this.known.set(metadata, principal);
                  proceed(metadata);
                },
                (thrown: unknown) => call.sendStatus(refusal(thrown)),
              );
            },
          }),
      });
    };
  }
}
