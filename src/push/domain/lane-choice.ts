/** How many lanes may be worked on at once. */
export interface LaneCaps {
  /** How many more this process can take. */
  readonly free: number;
  /** At most this many per endpoint, over all processes. */
  readonly perEndpoint: number;
}

export interface LaneCandidate {
  readonly id: string;
  readonly organization: string;
  readonly endpoint: string;
}

/**
 * Which of the due lanes (longest due first) are taken: organizations in turn, at most
 * `perEndpoint` of an endpoint counting the `busy` ones, at most `free` in all.
 */
export function chooseLanes(
  due: readonly LaneCandidate[],
  busy: ReadonlyMap<string, number>,
  caps: LaneCaps,
): string[] {
  const queues = new Map<string, LaneCandidate[]>();
  const taken = new Map(busy);
  for (const lane of due) {
    const count = taken.get(lane.endpoint) ?? 0;
    if (count >= caps.perEndpoint) continue;
    taken.set(lane.endpoint, count + 1);
    const queue = queues.get(lane.organization);
    if (queue) queue.push(lane);
    else queues.set(lane.organization, [lane]);
  }
  const chosen: string[] = [];
  for (let turn = 0; chosen.length < caps.free; turn++) {
    const round = [...queues.values()].flatMap((queue) => queue[turn] ?? []);
    if (round.length === 0) break;
    chosen.push(...round.slice(0, caps.free - chosen.length).map((lane) => lane.id));
  }
  return chosen;
}
