import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Egress } from '../../common/egress/egress.js';
import { HubError } from '../../common/hub-error.js';
import { IdSource } from '../../common/ids.js';
import { safeWords, secretsIn } from '../../common/safe-words.js';
import { SecretReferences } from '../../common/secret-references/secret-references.js';
import { AppConfig } from '../../config/index.js';
import { bindingOf } from '../binding/bindings.js';
import { type Agent, budgetsOf } from '../agent.js';
import type { AgentCallError } from '../binding/agent-call-error.js';
import type { DeviationKind } from '../registry/agent-deviations.js';
import { oldWireOfAnswer } from '../card/old-wire.js';
import { sendable } from '../endpoint/sealed-headers.js';
import { EndpointMemory } from '../client/endpoint-memory.js';
import { SdkAgentClient } from '../client/sdk-agent.client.js';
import { type Findings, isFailure } from './domain/findings.js';
import { type Recommendation, recommend } from './domain/recommend.js';
import { CapturingHttp } from './capturing-http.js';
import { type Doubt, ProbeRun } from './probe-run.js';

/** Probes of one process under way at once. */
const MAX_AT_ONCE = 4;
/** The message of a probe, and its deadline, unless the operator says otherwise. */
const TEXT = 'Hello! This is a test of the connection; a short answer is enough.';
const TIMEOUT_MS = 30_000;

/** What the agent of a probe is called meanwhile, with a number: no registered one can be called so. */
const ID = 'probe ';

/** What an operator says of a probe. */
export interface ProbeOptions {
  /** Absent, null or false: no message is sent. */
  readonly probe?: boolean | null | undefined;
  readonly probeText?: string | null | undefined;
  readonly probeTimeoutMs?: number | null | undefined;
}

export interface ProbeReport extends Findings {
  readonly recommendations: readonly Recommendation[];
}

/**
 * Sends one message to an agent and sees what it really does. No task of the hub comes of it, it counts for
 * nobody's quota and not for the agent's health, and what it learns changes nothing of how the agent is called.
 */
@Injectable()
export class AgentProbe {
  private running = 0;
  private probes = 0;

  constructor(
    private readonly client: SdkAgentClient,
    private readonly egress: Egress,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    private readonly references: SecretReferences,
  ) {}

  /** Null when none is requested. Throws HubError RATE_LIMITED when too many are under way. */
  async of(agent: Omit<Agent, 'id'>, options: ProbeOptions): Promise<ProbeReport | null> {
    if (options.probe !== true) return null;
    if (this.running >= MAX_AT_ONCE) {
      throw new HubError('RATE_LIMITED', `${MAX_AT_ONCE} probes are under way; try again later.`, {
        refusal: { limit: { kind: 'probes' } },
      });
    }
    this.running += 1;
    try {
      return await this.probe(agent, options);
    } finally {
      this.running -= 1;
    }
  }

  private async probe(
    requested: Omit<Agent, 'id'>,
    { probeText, probeTimeoutMs }: ProbeOptions,
  ): Promise<ProbeReport> {
    const { clock, ids, config } = this;
    // It may not take a place, or a share of what is read, from a registered agent.
    const agent: Agent = { ...requested, id: `${ID}${++this.probes}` };
    const memory = new EndpointMemory(clock, config);
    const captured = new CapturingHttp(this.egress);
    const kinds = new Set<DeviationKind>();
    const note = (kind: DeviationKind): void => void kinds.add(kind);
    const deviations = { note: (_: unknown, kind: DeviationKind): void => note(kind) };
    const proofs = new Set<string>();
    const noteSecrets = (secrets: readonly string[]): void =>
      secrets.forEach((each) => proofs.add(each));
    const client = this.client.probing({ memory, deviations, egress: captured, noteSecrets });
    const run = new ProbeRun({ client, clock, ids, note }, agent);
    const isModern = (): boolean => memory.now(agent).protocolVersion === '1.0';
    await run.run(probeText ?? TEXT, probeTimeoutMs ?? TIMEOUT_MS, isModern);
    const endpoint = memory.now(agent);
    const isQuoted = captured.isOpen && bindingOf(endpoint.protocolBinding).isOverHttp;
    const secrets = [...(await this.secretsOf(agent)), ...proofs];
    const isUnread = run.answer === null && run.outcome !== 'unreachable';
    const findings: Findings = {
      outcome: run.outcome,
      error:
        run.failure === undefined
          ? endOf(run, secrets, isQuoted)
          : errorOf(run.failure, secrets, isQuoted),
      endpoint,
      answer: run.answer,
      streams: run.streams,
      answersGetTask: run.answersGetTask,
      listsTasks: run.listsTasks,
      cancels: run.cancels,
      doubts: run.doubts.map((doubt) => doubtOf(doubt, secrets, isQuoted)),
      files: run.files,
      deviations: [...kinds],
      firstAnswerMs: run.firstAnswerMs,
      endMs: run.endMs,
      server: isQuoted && captured.server !== null ? safeWords(captured.server, []) : null,
      oldWire: (isUnread ? oldWireOfAnswer(captured.text) : undefined) ?? null,
    };
    const { firstEventMs } = budgetsOf(agent, config.agents);
    return { ...findings, recommendations: recommend(agent, findings, firstEventMs) };
  }

  /** The headers that were sent and must not be shown. Of what could not be had nothing was sent. */
  private secretsOf({ credentials }: Agent): Promise<readonly string[]> {
    return sendable(credentials, this.references).then(secretsIn, () => []);
  }
}

/** In the hub's words, and in those of the agent where they may be shown. */
function errorOf(failure: AgentCallError, secrets: readonly string[], isQuoted: boolean): string {
  const { kind, message, publicMessage } = failure;
  // No connection: what is known of that are the hub's own words.
  if (kind !== 'unreachable' && !isQuoted) return `The agent ${publicMessage}.`;
  return `The agent ${publicMessage}: ${safeWords(message, secrets)}`;
}

/** Of a task that came to nothing, what it says; null of any other. */
function endOf(
  { answer, words }: ProbeRun,
  secrets: readonly string[],
  isQuoted: boolean,
): string | null {
  if (!isFailure(answer)) return null;
  const says = isQuoted && words !== '' ? `: ${safeWords(words, secrets)}` : '.';
  return `The message ended in a task that is ${answer}${says}`;
}

function doubtOf(
  { operation, failure }: Doubt,
  secrets: readonly string[],
  isQuoted: boolean,
): string {
  const why =
    failure === null ? 'There was no answer in time.' : errorOf(failure, secrets, isQuoted);
  return `${operation}: ${why}`;
}
