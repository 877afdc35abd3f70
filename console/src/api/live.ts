import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { useEffect, useRef, useState } from 'react';
import { authenticationHeaders, useCredential } from './credential';
import { hubUrl } from './place';
import { ApiProblem, problemOf } from './problem';
import { noteSessionEnd } from './session-end';

export type LiveState = 'connecting' | 'live' | 'lost' | 'ended';

export interface LiveOptions {
  /** A path of the hub, or null to follow nothing. */
  readonly path: string | null;
  readonly onEvent: (event: EventSourceMessage) => void;
  /** Whether its `end` event says that nothing comes any more (that of a task does); a stream without one was cut. */
  readonly endsByItself?: boolean;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** How long a stream may be silent until it has said how often it gets a heartbeat. */
const UNKNOWN_SILENCE_MS = 60_000;
/** After so many heartbeats that did not come a stream is dead, but not before a slow network could have brought one. */
const HEARTBEATS = 3;
const LEAST_SILENCE_MS = 5_000;
const SILENT =
  'The hub has fallen silent: the connection was probably cut. What has begun goes on there.';

/**
 * Follows Server-Sent Events of the hub while the component is shown, with the same authentication as every request
 * (`EventSource` cannot send headers). After a cut it goes on behind the last event that came; what was refused is tried
 * again after another sign-in.
 */
export function useLive({ path, onEvent, endsByItself = false }: LiveOptions): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  const handler = useRef(onEvent);
  useEffect(() => {
    handler.current = onEvent;
  });
  const held = useCredential();
  const place = useRef<Place>({ path: null });
  useEffect(() => {
    if (path === null) return;
    if (place.current.path !== path) place.current = { path };
    const stop = new AbortController();
    const take = (event: EventSourceMessage) => handler.current(event);
    void follow(path, place.current, take, setState, endsByItself, stop.signal);
    return () => stop.abort();
  }, [path, endsByItself, held]);
  return state;
}

/** How far a stream was read. */
interface Place {
  readonly path: string | null;
  lastId?: string;
}

async function follow(
  path: string,
  place: Place,
  onEvent: (event: EventSourceMessage) => void,
  setState: (state: LiveState) => void,
  endsByItself: boolean,
  signal: AbortSignal,
): Promise<void> {
  let wait = FIRST_WAIT_MS;
  let isOver = false;
  while (!signal.aborted) {
    try {
      setState('connecting');
      const { lastId } = place;
      await readEvents(path, { ...(lastId !== undefined && { 'Last-Event-ID': lastId }) }, signal, {
        onOpen: () => setState('live'),
        onEvent: (event) => {
          wait = FIRST_WAIT_MS;
          if (event.id !== undefined) place.lastId = event.id;
          if (endsByItself && event.event === 'end') isOver = true;
          onEvent(event);
        },
      });
      if (isOver) return setState('ended');
    } catch (thrown) {
      if (signal.aborted) return;
      const refused = thrown instanceof ApiProblem && thrown.status >= 400 && thrown.status < 500;
      // 429 is for now; what else is refused stays refused.
      if (refused && thrown.status !== 429) return setState('ended');
    }
    if (signal.aborted) return;
    setState('lost');
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

/** Reads one answer of events to its end. Throws an ApiProblem for what the hub refuses. */
async function readEvents(
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  to: { readonly onOpen: () => void; readonly onEvent: (event: EventSourceMessage) => void },
): Promise<void> {
  const response = await fetch(hubUrl(path), {
    headers: { Accept: 'text/event-stream', ...authenticationHeaders(), ...headers },
    signal,
  });
  if (!response.ok || response.body === null) {
    noteSessionEnd(response);
    throw await problemOf(response);
  }
  to.onOpen();
  await readStream(response.body, to.onEvent, UNKNOWN_SILENCE_MS);
}

/**
 * Reads the events of an answer to its end. Throws an ApiProblem when the stream misses its heartbeats; `silence`: how long it may
 * be silent until it has said how often they come, in milliseconds, null for ever.
 */
export async function readStream(
  body: ReadableStream<BufferSource>,
  onEvent: (event: EventSourceMessage) => void,
  silence: number | null,
): Promise<void> {
  let silenceMs = silence;
  const onComment = (comment: string) => {
    const said = silenceOf(comment);
    if (said !== undefined) silenceMs = said;
  };
  const parser = createParser({ onEvent, onComment });
  const text = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await readWithin(text, silenceMs);
    if (done) return;
    parser.feed(value);
  }
}

/** How long a stream may be silent by what it says of its heartbeats: for ever where there are none, undefined where it says nothing. */
function silenceOf(comment: string): number | null | undefined {
  const everyMs = /^\s*heartbeat every (\d+) ms$/.exec(comment)?.[1];
  if (everyMs === undefined) return undefined;
  return everyMs === '0' ? null : Math.max(HEARTBEATS * Number(everyMs), LEAST_SILENCE_MS);
}

/** What comes next. A stream that is silent for longer is given up. */
async function readWithin(
  stream: ReadableStreamDefaultReader<string>,
  silenceMs: number | null,
): Promise<ReadableStreamReadResult<string>> {
  if (silenceMs === null) return await stream.read();
  let isSilent = false;
  const timer = setTimeout(() => {
    isSilent = true;
    void stream.cancel();
  }, silenceMs);
  try {
    const next = await stream.read();
    if (isSilent) throw new ApiProblem(0, 'SILENT', SILENT);
    return next;
  } finally {
    clearTimeout(timer);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
