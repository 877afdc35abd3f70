import type { Message, Part, StreamResponse, Task } from '../../api/a2a';
import { callerNumber } from '../../api/sign-in';
import { newId } from '../../api/new-id';
import { hubUrl } from '../../api/place';
import { type ApiProblem, asProblem } from '../../api/problem';
import { isEnded } from '../../api/task-state';
import { EMPTY_DRAFT, type PlaygroundDraft } from './draft';
import { type Exchange, exchange, shownHeaders, type WireEvent } from './exchange';
import type { Mode } from './search';
import { type Turn, withResult } from './turn';

export interface PlaygroundState {
  readonly turns: readonly Turn[];
  readonly exchanges: readonly Exchange[];
}

/** A message to be sent. */
export interface Outgoing {
  readonly parts: readonly Part[];
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly acceptedOutputModes: readonly string[];
  readonly mode: Mode;
  /** To whom it goes, in words. */
  readonly to: string;
  /** The task that it goes on with. */
  readonly taskId: string | undefined;
  /** Called when no answer to it had begun, and the hub could not be reached. */
  readonly onUnreached: () => void;
}

const METHODS: Readonly<Record<Mode, string>> = {
  stream: 'SendStreamingMessage',
  wait: 'SendMessage',
  return: 'SendMessage',
};
const CUT = 'The connection to the hub was cut. What has begun goes on there.';
const UNREACHED =
  'The hub cannot be reached, and nothing is known to have begun there. The message is in its box again, unless there is another by now.';
/** What comes within it is shown at once: a fast stream does not draw the page for each event. */
const DRAW_MS = 40;

/**
 * A conversation with the hub as a client has it. It goes on while another page is shown; nothing of it is kept
 * anywhere else.
 */
export class PlaygroundSession {
  private written = EMPTY_DRAFT;
  private state: PlaygroundState = { turns: [], exchanges: [] };
  private readonly listeners = new Set<() => void>();
  private readonly running = new Map<
    number,
    { readonly stop: AbortController; readonly turnId: number }
  >();
  private readonly events = new Map<number, WireEvent[]>();
  private contextId: string | undefined;
  private nextId = 1;
  private drawing: ReturnType<typeof setTimeout> | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly read = (): PlaygroundState => this.state;

  /** What is written and not sent yet: kept while the console is open. */
  draft(): PlaygroundDraft {
    return this.written;
  }

  /** Changes what is written; the whole of it. */
  write(changed: Partial<PlaygroundDraft>): PlaygroundDraft {
    this.written = { ...this.written, ...changed };
    return this.written;
  }

  send({ parts, metadata, acceptedOutputModes, mode, to, taskId, onUnreached }: Outgoing): void {
    const message: Message = {
      messageId: newId(),
      role: 'ROLE_USER',
      parts,
      ...(this.contextId !== undefined && { contextId: this.contextId }),
      ...(taskId !== undefined && { taskId }),
      ...(metadata && { metadata }),
    };
    const configuration = {
      ...(acceptedOutputModes.length > 0 && { acceptedOutputModes }),
      ...(mode === 'return' && { returnImmediately: true }),
    };
    const hasConfiguration = Object.keys(configuration).length > 0;
    const turn: Turn = {
      id: this.nextId++,
      message,
      to,
      at: Date.now(),
      task: null,
      state: null,
      agents: [],
      items: [],
      problem: null,
      isOpen: true,
    };
    this.set({ turns: [...this.state.turns, turn] });
    const params = { message, ...(hasConfiguration && { configuration }) };
    this.call(turn.id, METHODS[mode], params, {}, onUnreached);
  }

  cancel(turn: Turn): void {
    if (turn.task) this.call(turn.id, 'CancelTask', { id: turn.task.id });
  }

  /** Reads the task as it is now. */
  look(turn: Turn): void {
    if (turn.task) this.call(turn.id, 'GetTask', { id: turn.task.id });
  }

  /** Follows the task again: behind the last event that came, or from how it is now where it was read since. */
  listen(turn: Turn): void {
    if (!turn.task) return;
    const last = this.state.exchanges
      .filter(({ id }) => this.turnOf.get(id) === turn.id)
      .flatMap(({ events }) => events)
      .at(-1)?.id;
    this.call(
      turn.id,
      'SubscribeToTask',
      { id: turn.task.id },
      last ? { 'Last-Event-ID': last } : undefined,
    );
  }

  /** Stops listening; the task goes on. */
  stop(turn: Turn): void {
    for (const { stop, turnId } of this.running.values()) if (turnId === turn.id) stop.abort();
  }

  /** Begins anew. */
  clear(): void {
    for (const { stop } of this.running.values()) stop.abort();
    this.running.clear();
    this.events.clear();
    this.turnOf.clear();
    this.contextId = undefined;
    this.set({ turns: [], exchanges: [] });
  }

  private readonly turnOf = new Map<number, number>();

  private call(
    turnId: number,
    method: string,
    params: unknown,
    headers: Readonly<Record<string, string>> = {},
    onUnreached?: () => void,
  ): void {
    const id = this.nextId++;
    const stop = new AbortController();
    const at = Date.now();
    const body = { jsonrpc: '2.0', id: newId(), method, params } as const;
    this.running.set(id, { stop, turnId });
    this.turnOf.set(id, turnId);
    const events: WireEvent[] = [];
    this.events.set(id, events);
    const begun: Exchange = {
      id,
      method,
      url: hubUrl('a2a').href,
      headers: shownHeaders(headers),
      body,
      at,
      answer: null,
      events: [],
      tookMs: null,
      fault: null,
    };
    this.set({ exchanges: [...this.state.exchanges, begun] });
    this.patchTurn(turnId, (turn) => ({ ...turn, isOpen: true, problem: null }));
    const end = (problem: ApiProblem | null) => {
      if (!this.running.delete(id)) return;
      const isOpen = [...this.running.values()].some((each) => each.turnId === turnId);
      this.patchExchange(id, { tookMs: Date.now() - at, fault: problem?.message ?? null });
      this.patchTurn(turnId, (turn) => ({ ...turn, isOpen, problem: problem ?? turn.problem }));
    };
    let isAnswered = false;
    const fail = (thrown: unknown) => {
      const problem = asProblem(thrown);
      if (problem.isUnreachable && isAnswered) problem.message = CUT;
      if (problem.isUnreachable && !isAnswered && onUnreached && this.running.has(id)) {
        problem.message = UNREACHED;
        onUnreached();
      }
      end(problem);
    };
    exchange(body, headers, stop.signal, {
      onAnswer: (answer) => {
        isAnswered = true;
        this.patchExchange(id, { answer });
      },
      onEvent: (event) => {
        events.push({ ...event, afterMs: Date.now() - at });
        this.patchExchange(id, {});
      },
      onResult: (result) => this.take(turnId, result),
    }).then(
      () => end(null),
      (thrown: unknown) => (stop.signal.aborted ? end(null) : fail(thrown)),
    );
  }

  private take(turnId: number, result: StreamResponse | Task): void {
    this.patchTurn(turnId, (turn) => {
      const next = withResult(turn, result);
      const contextId =
        next.task?.contextId ?? ('message' in result ? result.message?.contextId : undefined);
      if (contextId !== undefined) this.contextId = contextId;
      return next;
    });
  }

  private patchExchange(id: number, changed: Partial<Exchange>): void {
    this.set({
      exchanges: this.state.exchanges.map((each) =>
        each.id === id ? { ...each, ...changed } : each,
      ),
    });
  }

  private patchTurn(id: number, change: (turn: Turn) => Turn): void {
    this.set({
      turns: this.state.turns.map((turn) => (turn.id === id ? change(turn) : turn)),
    });
  }

  private set(changed: Partial<PlaygroundState>): void {
    this.state = { ...this.state, ...changed };
    this.drawing ??= setTimeout(() => {
      this.drawing = undefined;
      this.draw();
    }, DRAW_MS);
  }

  private draw(): void {
    const exchanges = this.state.exchanges.map((each) => {
      const events = this.events.get(each.id) ?? [];
      return events.length === each.events.length ? each : { ...each, events: [...events] };
    });
    this.state = { ...this.state, exchanges };
    for (const listener of this.listeners) listener();
  }
}

/** The task that a further message would go on with. */
export function openTask(
  turns: readonly Turn[],
): { readonly id: string; readonly state: string } | null {
  const last = turns.findLast(({ task }) => task !== null);
  if (!last?.task || last.state === null || isEnded(last.state)) return null;
  return { id: last.task.id, state: last.state };
}

let current = new PlaygroundSession();
let owner = callerNumber();

/** The conversation of who is signed in. */
export function playgroundSession(): PlaygroundSession {
  if (owner !== callerNumber()) {
    current.clear();
    current = new PlaygroundSession();
    owner = callerNumber();
  }
  return current;
}
