import { Toast as Radix } from 'radix-ui';
import { SharedValue, useShared } from '../api/shared-value';

interface Shown {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 5000;

const shown = new SharedValue<readonly Shown[]>([]);
let nextId = 0;

/** Says for some seconds that something was done; screen readers hear it. */
export function notify(text: string): void {
  nextId += 1;
  shown.set([...shown.get(), { id: nextId, text }]);
}

export function Toasts() {
  const list = useShared(shown);
  return (
    <Radix.Provider duration={SHOWN_MS}>
      {list.map(({ id, text }) => (
        <Radix.Root
          key={id}
          className="toast"
          onOpenChange={(open) => !open && shown.set(shown.get().filter((each) => each.id !== id))}
        >
          <Radix.Description>{text}</Radix.Description>
        </Radix.Root>
      ))}
      <Radix.Viewport className="toasts" />
    </Radix.Provider>
  );
}
