import type { DeliveryObserver } from '../../src/push/delivery/delivery-observer.js';
import type { ReceiverGate } from '../../src/push/receivers/receiver-gate.js';

/** Observes nothing. */
export const NO_OBSERVER: DeliveryObserver = {
  claimed: () => undefined,
  attempted: () => undefined,
  ended: () => undefined,
};

/** No receiver has to wait. */
export const OPEN_GATE: Pick<ReceiverGate, 'waitOf' | 'admit'> = {
  waitOf: () => Promise.resolve(undefined),
  admit: () => Promise.resolve(undefined),
};
