import type { Egress } from '../../common/egress/egress.js';
import type { ProtocolVersion } from '../../protocol/protocol-version.js';
import type { AgentCallError } from './agent-call-error.js';
import type { AgentMethod } from './agent-method.js';
import type { AgentTransport } from './agent-transport.js';
import type { FileBytes, FileForm } from './file-forms.js';
import type { ExchangeOptions, HttpWay } from './http-exchange.js';

/** How an answer may deviate from the form of its binding and version and be read all the same. */
export type FormDeviation = 'snake-case' | 'other-form' | 'address-per-method';

/** One call to an agent: its interface, what is sent beside the message, and its limits. */
export interface CallRequest extends ExchangeOptions {
  readonly method: AgentMethod;
  /** The address of the interface, as the card or the operator gives it. */
  readonly url: string;
  readonly version: ProtocolVersion;
  readonly headers: Readonly<Record<string, string>>;
  /** The agent's context of the task that the call is about, where it is known. */
  readonly contextId: string | undefined;
  /** It must not wait behind messages and streams: it uses other connections. */
  readonly isControl: boolean;
  /** What makes requests over HTTP. */
  readonly http: HttpWay;
  readonly files: FileBytes;
  readonly onDeviation: (kind: FormDeviation) => void;
}

/** A call that can be made once, through its transport. */
export interface OpenCall {
  readonly transport: AgentTransport;
  readonly exchange: {
    /** What any error of the call means. */
    failure(error: unknown): AgentCallError;
    /** The answer is stored or not needed: its bytes no longer count against what is read at once. */
    release(): void;
    /** How the server has the bytes of files, judged by how it refused a task that does not exist. */
    fileForm(refusal: AgentCallError): FileForm;
  };
}

/** The connections of one binding to all agents. */
export interface Connector {
  open(request: CallRequest): OpenCall;
  /** Calls that are still open end by their own signal. */
  close(): void;
}

/**
 * One binding of A2A (§5) in which the hub calls agents. Each has a file of its own; `bindings.ts` lists them, and
 * everything else asks the list.
 */
export interface Binding {
  /** As A2A names it, in capitals; cards may write it otherwise. */
  readonly name: string;
  /** What an address must be, to follow "the url is not". */
  readonly addressRule: string;
  /** Its messages of 0.3 are made from protobuf, so some servers have the bytes of files encoded twice. */
  readonly hasFileForms: boolean;
  /** Its requests go through {@link CallRequest.http}, so a probe sees the answers. */
  readonly isOverHttp: boolean;
  /** The http(s) URLs that an address may be called at, in the order they are tried; empty when it is not an address of this binding. */
  urls(address: string): readonly string[];
  /** Whether only this binding calls addresses of that scheme. */
  ownsScheme(address: string): boolean;
  /** Whether the egress policy allows a call, and whether the host resolves now. Throws HubError EGRESS_DENIED. */
  check(egress: Pick<Egress, 'check'>, address: string): Promise<{ readonly verified: boolean }>;
  /** Throws HubError INVALID_PARAMS naming the header below `field` that the binding cannot carry. */
  checkHeaders(field: string, headers: Readonly<Record<string, string>>): void;
  /** `maxAnswerBytes`: of a whole answer, or of one event of it. */
  connect(egress: Egress, maxAnswerBytes: number): Connector;
}
