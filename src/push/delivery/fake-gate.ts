import type { DeliveryObserver } from './push-metrics.js';
import type { ReceiverGate } from '../receivers/receiver-gate.js';

/** Observes nothing, for tests. */
export const NO_OBSERVER: DeliveryObserver = {
  claimed: () => undefined,
  attempted: () => undefined,
  recorded: () => undefined,
};

/** No receiver has to wait, for tests. */
export const OPEN_GATE: Pick<ReceiverGate, 'waitOf' | 'admit'> = {
  waitOf: () => Promise.resolve(undefined),
  admit: () => Promise.resolve(undefined),
};
