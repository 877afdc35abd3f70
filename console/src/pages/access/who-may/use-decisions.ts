import { useEffect, useState } from 'react';
import { type Decision, decideAll, type Question } from './decide';

/** How often few questions are asked anew: policies and agents change while one looks. */
const AGAIN_MS = 10_000;
const FEW = 50;

/** The answers to these questions, as they come; few are asked anew while they are shown, more when one says so. */
export function useDecisions(questions: readonly Question[]) {
  const [state, setState] = useState<{
    readonly asked: string;
    readonly decisions: ReadonlyMap<string, Decision>;
    readonly at: Date | null;
    readonly error: unknown;
  }>({ asked: '', decisions: new Map(), at: null, error: null });
  const [round, setRound] = useState(0);
  const asked = JSON.stringify(questions);
  useEffect(() => {
    const list = JSON.parse(asked) as Question[];
    const stop = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    const add = (key: string, decision: Decision) =>
      setState((before) => ({
        asked,
        decisions: new Map(before.asked === asked ? before.decisions : []).set(key, decision),
        at: before.asked === asked ? before.at : null,
        error: null,
      }));
    const finish = () => {
      if (stop.signal.aborted || list.length === 0) return;
      setState((before) => ({ ...before, at: new Date() }));
      if (list.length <= FEW) again = setTimeout(() => setRound((last) => last + 1), AGAIN_MS);
    };
    decideAll(list, add, stop.signal).then(finish, (error: unknown) => {
      if (!stop.signal.aborted) setState({ asked, decisions: new Map(), at: null, error });
      stop.abort();
    });
    return () => {
      clearTimeout(again);
      stop.abort();
    };
  }, [asked, round]);
  const isNow = state.asked === asked;
  return {
    decisions: isNow ? state.decisions : new Map<string, Decision>(),
    /** When all of them were answered last. */
    at: isNow ? state.at : null,
    error: isNow ? state.error : null,
    askAgain: () => setRound((last) => last + 1),
  };
}
