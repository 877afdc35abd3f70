import { useBlocker } from '@tanstack/react-router';
import { Confirm } from './dialog';

/** Asks before what one has written is left behind. Another view of the same draft does not leave it. */
export function LeaveGuard({ isUnsaved }: { readonly isUnsaved: () => boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isUnsaved() && (current.pathname !== next.pathname || tabOf(current) !== tabOf(next)),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return (
    <Confirm
      title="Leave without saving?"
      action="Leave without saving"
      open={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      onConfirm={() => Promise.resolve(blocker.proceed?.())}
    >
      <p>What you have changed here is not saved yet, and will be lost.</p>
    </Confirm>
  );
}

function tabOf({ search }: { readonly search: unknown }): unknown {
  return (search as { readonly tab?: string }).tab;
}
