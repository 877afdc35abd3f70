import { useEffect, useState } from 'react';
import { type Decision, decideAll, type Question } from './decide';

/** The answers to these questions, as they come. */
export function useDecisions(questions: readonly Question[]) {
  const [state, setState] = useState<{
    readonly asked: string;
    readonly decisions: ReadonlyMap<string, Decision>;
    readonly error: unknown;
  }>({ asked: '', decisions: new Map(), error: null });
  const asked = JSON.stringify(questions);
  useEffect(() => {
    const list = JSON.parse(asked) as Question[];
    const stop = new AbortController();
    const add = (key: string, decision: Decision) =>
      setState((before) => ({
        asked,
        decisions: new Map(before.asked === asked ? before.decisions : []).set(key, decision),
        error: null,
      }));
    decideAll(list, add, stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) setState({ asked, decisions: new Map(), error });
      stop.abort();
    });
    return () => stop.abort();
  }, [asked]);
  const isNow = state.asked === asked;
  return {
    decisions: isNow ? state.decisions : new Map<string, Decision>(),
    error: isNow ? state.error : null,
  };
}
