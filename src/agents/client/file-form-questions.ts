import { Deadline } from '../../common/deadline.js';
import { unlessAborted } from '../../common/unless-aborted.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import { endedCall } from '../binding/agent-call-error.js';
import type { AgentCaller, AgentCallOptions } from './agent-client.js';
import { type EndpointMemory, interfaceKey } from './endpoint-memory.js';
import type { FileForm } from '../binding/file-forms.js';

/** How long a server may take to say what it is. */
const TIMEOUT_MS = 5000;
/** One that has said nothing is not asked again before that. */
const SILENCE_KEPT_MS = 30_000;

/** What comes of asking: that there was no connection, or no answer, tells nothing of the server. */
export type FormAnswer = FileForm | 'unreachable' | 'silent';

/** Asks the server at an interface; nothing of the answer's files may be asked about in turn. */
export type AskForm = (
  agent: Agent,
  endpoint: AgentEndpoint,
  signal: AbortSignal,
  caller: AgentCaller | undefined,
) => Promise<FormAnswer>;

interface Question {
  readonly form: Promise<FileForm>;
  readonly left: AbortController;
  waiting: number;
}

/**
 * How servers of 0.3 have the bytes of files. One question is under way per interface, whoever waits for it; it
 * passes no gate of other calls, for those that hold a place there may be waiting for it.
 */
export class FileFormQuestions {
  private readonly underWay = new Map<string, Question>();

  constructor(
    private readonly memory: EndpointMemory,
    private readonly ask: AskForm,
  ) {}

  /**
   * As the operator says, else as the server tells by its answer, once an hour. One that cannot be asked is
   * taken at its word meanwhile. It is asked in the name of the `caller` whose files are meant. Rejects with `interrupted` when
   * aborted.
   */
  async formOf(
    agent: Agent,
    endpoint: AgentEndpoint,
    { signal, caller }: Pick<AgentCallOptions, 'signal' | 'caller'>,
  ): Promise<FileForm> {
    const known = agent.switches.files ?? this.memory.fileForm(agent, endpoint);
    if (known !== undefined) return known;
    if (signal.aborted) throw endedCall();
    const key = interfaceKey(agent, endpoint);
    const question = this.underWay.get(key) ?? this.begin(key, agent, endpoint, caller);
    question.waiting += 1;
    try {
      return await unlessAborted(question.form, signal, endedCall);
    } finally {
      question.waiting -= 1;
      if (question.waiting === 0) {
        this.over(key, question);
        question.left.abort();
      }
    }
  }

  private begin(
    key: string,
    agent: Agent,
    endpoint: AgentEndpoint,
    caller: AgentCaller | undefined,
  ): Question {
    const left = new AbortController();
    const form = this.answer(agent, endpoint, left.signal, caller);
    const question = { form, left, waiting: 0 };
    this.underWay.set(key, question);
    const over = (): void => this.over(key, question);
    question.form.then(over, over);
    return question;
  }

  private async answer(
    agent: Agent,
    endpoint: AgentEndpoint,
    left: AbortSignal,
    caller: AgentCaller | undefined,
  ): Promise<FileForm> {
    const deadline = new Deadline(left, TIMEOUT_MS);
    const requested = this.ask(agent, endpoint, deadline.signal, caller);
    const answer = await requested.finally(() => deadline.end());
    if (answer === 'unreachable') return 'once';
    if (answer !== 'silent') {
      this.memory.keepFileForm(agent, endpoint, answer);
      return answer;
    }
    // An abandoned question shows nothing about the server.
    if (!left.aborted) this.memory.keepFileForm(agent, endpoint, 'once', SILENCE_KEPT_MS);
    return 'once';
  }

  private over(key: string, question: Question): void {
    if (this.underWay.get(key) === question) this.underWay.delete(key);
  }
}
