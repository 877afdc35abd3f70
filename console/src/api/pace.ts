/** The hub says in this how busy it is, while it is. */
const BUSY_HEADER = 'a2a-hub-busy';
/** So many times as long a page waits then before it reads again. */
const BUSY_TIMES = 2;

let isBusy = false;

/** Takes from an answer whether the hub is busy. */
export function noteLoad({ headers }: Pick<Response, 'headers'>): void {
  isBusy = headers.has(BUSY_HEADER);
}

/** How long a page waits before it reads again what it reads every `ms`: a hub that is busy is asked less often. */
export function paced(ms: number): number {
  return isBusy ? BUSY_TIMES * ms : ms;
}

/** The same, as `refetchInterval`, which is asked for after each reading. */
export function every(ms: number): () => number {
  return () => paced(ms);
}
