import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import type { CallContext } from '../../auth/index.js';
import type { ProtocolVersion } from '../../protocol/protocol-version.js';
import { type CallSource, callContextOf } from '../context-of-headers.js';
import { parseBody } from '../http/body.js';
import { requestedVersion } from '../requested-version.js';
import type { RpcDialect, RpcOutcome } from './rpc-dialect.js';
import { type RpcId, idOf, readEnvelope } from './envelope.js';
import { V0Dialect } from './v0-dialect.js';
import { V1Dialect } from './v1-dialect.js';

/** What is known of a request when it fails: how the failure is reported. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';

  constructor(
    readonly thrown: unknown,
    readonly id: RpcId,
    readonly version: ProtocolVersion,
  ) {
    super('a JSON-RPC request failed', { cause: thrown });
  }
}

/** Takes a JSON-RPC body apart, finds its version, and runs its method. */
@Injectable()
export class RpcDispatcher {
  private readonly dialects: Readonly<Record<ProtocolVersion, RpcDialect>>;

  constructor(v1: V1Dialect, v0: V0Dialect) {
    this.dialects = { '1.0': v1, '0.3': v0 };
  }

  /** Rejects with {@link RpcFailure} only. */
  async dispatch(
    body: string,
    requested: string | undefined,
    source: CallSource,
  ): Promise<Dispatched> {
    let id: RpcId = null;
    let version: ProtocolVersion = assumedVersion(requested);
    try {
      const json = parseBody(body);
      id = idOf(json);
      const envelope = readEnvelope(json);
      version = requestedVersion(requested) ?? this.versionOf(envelope.method);
      this.checkMethod(envelope.method, version);
      const call = callContextOf(source, version);
      const outcome = await this.dialects[version].run(envelope, call, requested);
      return { outcome, call, failed: (thrown) => new RpcFailure(thrown, envelope.id, version) };
    } catch (thrown) {
      throw new RpcFailure(thrown, id, version);
    }
  }

  /** Without the header the method's name decides; an unknown one is read as 0.3 (A2A §3.6.2). */
  private versionOf(method: string): ProtocolVersion {
    return this.dialects['1.0'].has(method) ? '1.0' : '0.3';
  }

  private checkMethod(method: string, version: ProtocolVersion): void {
    const dialect = this.dialects[version];
    if (dialect.has(method)) return;
    const known = Object.values(this.dialects).some((other) => other.has(method));
    const right = dialect.counterpart(method);
    const shown = JSON.stringify(method.slice(0, 100));
    const sentence =
      right !== undefined
        ? `In A2A ${version} the method ${shown} is called ${right}.`
        : known
          ? `A2A ${version} has no method ${shown}.`
          : `There is no method ${shown}.`;
    throw new HubError('METHOD_NOT_FOUND', sentence, {
      metadata: right === undefined ? {} : { method: right },
    });
  }
}

export interface Dispatched {
  readonly outcome: RpcOutcome;
  readonly call: CallContext;
  /** How a stream that is refused at its first item fails. */
  readonly failed: (thrown: unknown) => RpcFailure;
}

/** The version in which errors are reported before the method is known; 0.3 when nothing is said. */
export function assumedVersion(requested: string | undefined): ProtocolVersion {
  try {
    return requestedVersion(requested) ?? '0.3';
  } catch {
    return '1.0';
  }
}
