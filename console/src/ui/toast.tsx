import { Toast as Radix } from 'radix-ui';
import { useSyncExternalStore } from 'react';

interface Shown {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 5000;

let shown: readonly Shown[] = [];
let nextId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Says for some seconds that something was done; screen readers hear it. */
export function notify(text: string): void {
  nextId += 1;
  set([...shown, { id: nextId, text }]);
}

export function Toasts() {
  const list = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <Radix.Provider duration={SHOWN_MS}>
      {list.map(({ id, text }) => (
        <Radix.Root
          key={id}
          className="toast"
          onOpenChange={(open) => !open && set(shown.filter((each) => each.id !== id))}
        >
          <Radix.Description>{text}</Radix.Description>
        </Radix.Root>
      ))}
      <Radix.Viewport className="toasts" />
    </Radix.Provider>
  );
}
