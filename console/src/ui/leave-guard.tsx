import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Confirm } from './dialog';

/** What of the page is not saved yet. */
const guarded = new Set<() => boolean>();

/** Whether something of the page would be lost if it were left. */
export function hasUnsaved(): boolean {
  return [...guarded].some((isUnsaved) => isUnsaved());
}

/** Asks before what one has written is left behind. Another view of the same draft does not leave it. */
export function LeaveGuard({
  isUnsaved,
  inDialog = false,
  loss,
}: {
  readonly isUnsaved: () => boolean;
  /** It is written in a dialog, which may be closed by whatever else the page shows. */
  readonly inDialog?: boolean;
  /** What is lost, where that is not something written. */
  readonly loss?: string;
}) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isUnsaved() &&
      (inDialog || current.pathname !== next.pathname || tabOf(current) !== tabOf(next)),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  useEffect(() => {
    guarded.add(isUnsaved);
    return () => void guarded.delete(isUnsaved);
  });
  return (
    <ConfirmLoss
      what="Leave"
      {...(loss !== undefined && { loss })}
      open={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      onConfirm={() => Promise.resolve(blocker.proceed?.())}
    />
  );
}

/** Asks before something by which what is not saved is lost: `Leave`. */
export function ConfirmLoss({
  what,
  loss = 'What you have written here is not saved yet, and will be lost.',
  ...confirm
}: Pick<Parameters<typeof Confirm>[0], 'open' | 'onClose' | 'onConfirm'> & {
  readonly what: string;
  readonly loss?: string;
}) {
  return (
    <Confirm {...confirm} title={`${what} without saving?`} action={`${what} without saving`}>
      <p>{loss}</p>
    </Confirm>
  );
}

function tabOf({ search }: { readonly search: unknown }): unknown {
  return (search as { readonly tab?: string }).tab;
}
