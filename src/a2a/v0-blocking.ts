import type { AppConfig } from '../config/index.js';
import type { HubRequest } from '../routing/index.js';

/** What a send of 0.x says of waiting for its task; `unsaid`: it leaves `blocking` out. */
export type Blocking = boolean | 'unsaid';

/** Read off the raw `configuration`, for the SDK reads an absent `blocking` as false. */
export function blockingOf({ blocking }: Readonly<Record<string, unknown>>): Blocking {
  return typeof blocking === 'boolean' ? blocking : 'unsaid';
}

/** When such a send is answered; `tasks.blockingDefault` decides what is unsaid (ADR 0010). */
export function answeredWhen(
  blocking: Blocking,
  { blockingDefault, acceptClientTaskIds }: AppConfig['tasks'],
): Pick<HubRequest, 'returnImmediately' | 'awaitsAgent'> {
  if (blocking !== 'unsaid') return { returnImmediately: !blocking };
  const waits = blockingDefault === 'auto' ? !acceptClientTaskIds : blockingDefault === 'always';
  return { returnImmediately: !waits, awaitsAgent: !waits };
}
