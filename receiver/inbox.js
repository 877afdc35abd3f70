/** Ids that are remembered of each stream. */
const REMEMBERED_IDS = 256;

const EMPTY = Object.freeze({ sequence: 0, number: 0, ids: Object.freeze([]) });

/**
 * What a delivery is to somebody who has seen those before it: pure, so that it can run in the
 * transaction in which the receiver keeps its own data.
 */
export function classify(delivery, seen = EMPTY) {
  const { id, sequence = 0, deliveryNumber = 0, gap, isTest = false } = delivery;
  if (isTest) return { kind: 'test', isMissing: false, seen };
  const isKnown = seen.ids.includes(id);
  const isLate = sequence < seen.sequence;
  const isJump = seen.number > 0 && deliveryNumber > seen.number + 1;
  return {
    kind: isKnown ? 'duplicate' : isLate ? 'late' : 'new',
    isMissing: !isKnown && (gap !== undefined || (isJump && !isLate)),
    seen: {
      sequence: Math.max(sequence, seen.sequence),
      // A replay sends what is known under new numbers: they count, or what follows would seem a jump.
      number: Math.max(deliveryNumber, seen.number),
      ids: isKnown ? seen.ids : [...seen.ids, id].slice(-REMEMBERED_IDS),
    },
  };
}

/** Takes each delivery once and in order, one at a time for each stream. */
export class Inbox {
  constructor(store = new MemoryStore()) {
    this.store = store;
    this.busy = new Map();
  }

  /** See index.d.ts. */
  take(delivery, handle) {
    const { stream } = delivery;
    const before = this.busy.get(stream) ?? Promise.resolve();
    const taken = before.then(() => this.#takeNow(delivery, handle));
    const settled = taken
      .catch(() => undefined)
      .then(() => {
        if (this.busy.get(stream) === settled) this.busy.delete(stream);
      });
    this.busy.set(stream, settled);
    return taken;
  }

  async #takeNow(delivery, handle) {
    const verdict = classify(delivery, await this.store.load(delivery.stream));
    if (verdict.kind === 'test') return verdict;
    if (verdict.kind !== 'duplicate') await handle(verdict);
    await this.store.save(delivery.stream, verdict.seen);
    return verdict;
  }
}

/** Lanes that are remembered without a store. */
const MAX_LANES = 10_000;

/** What was seen, for as long as the process lives, of the streams heard of last. */
class MemoryStore {
  #seen = new Map();

  load(stream) {
    return this.#seen.get(stream);
  }

  save(stream, seen) {
    this.#seen.delete(stream);
    this.#seen.set(stream, seen);
    if (this.#seen.size > MAX_LANES) this.#seen.delete(this.#seen.keys().next().value);
  }
}
