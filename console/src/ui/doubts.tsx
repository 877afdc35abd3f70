import { useRef, useState } from 'react';
import { Confirm } from './dialog';
import { useSave } from './use-save';

/**
 * As `useSave`, with a question before it: `check` throws what is wrong, and gives sentences on what is most likely meant otherwise. Who is sure
 * has seen them. `doubts` go to {@link AskDoubts}.
 */
export function useDoubtfulSave(
  check: (isSure: boolean) => Promise<readonly string[]>,
  save: () => Promise<unknown>,
) {
  const [found, setFound] = useState<readonly string[]>([]);
  const isSure = useRef(false);
  const saved = useSave(async () => {
    const wasSure = isSure.current;
    isSure.current = false;
    const doubts = await check(wasSure);
    if (doubts.length > 0 && !wasSure) return setFound(doubts);
    await save();
  });
  const doubts = {
    found,
    onClose: () => setFound([]),
    onConfirm: () => {
      isSure.current = true;
      saved.run();
      return Promise.resolve();
    },
  };
  return { ...saved, doubts };
}

/** Asks whether it is to be done all the same; `action` is the verb on its button. */
export function AskDoubts({
  action,
  doubts: { found, onClose, onConfirm },
}: {
  readonly action: string;
  readonly doubts: ReturnType<typeof useDoubtfulSave>['doubts'];
}) {
  return (
    <Confirm
      title={`${action} all the same?`}
      action={`${action} all the same`}
      danger={false}
      keep="Cancel"
      open={found.length > 0}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {found.map((each) => (
        <p key={each}>{each}</p>
      ))}
    </Confirm>
  );
}
