import type { ReactNode } from 'react';
import { Loaded, Notice, type Read } from '../../../ui/feedback';

/** An editor with an old version in it, once that is read; with what is saved where none is taken. */
export function WithVersion<V>({
  version,
  query,
  editor,
}: {
  readonly version: number | undefined;
  readonly query: Read<V>;
  readonly editor: (taken?: V) => ReactNode;
}) {
  if (version === undefined) return editor();
  return (
    <Loaded query={query}>
      {(taken) => (
        <div className="routing-answer">
          <Notice tone="info">
            <p>This is version {version}. It counts once it is saved.</p>
          </Notice>
          {editor(taken)}
        </div>
      )}
    </Loaded>
  );
}
