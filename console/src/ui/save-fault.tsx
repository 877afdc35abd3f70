import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { asProblem } from '../api/problem';
import { Button } from './button';
import { ErrorView, Loaded } from './feedback';
import { sortedJson } from './sorted-json';
import { ValueDiff } from './value-diff';

/** What is saved of something that has versions. */
export interface Saved<T> {
  readonly version: number;
  readonly written: T;
}

/** How whoever saves goes on when somebody else has saved before. */
export interface WaysOn<T> {
  /** What would be saved over what is saved by now. */
  readonly mineOver: (saved: Saved<T>) => T;
  /** Reads what is saved by now. */
  readonly read: () => Promise<Saved<T>>;
  /** Takes what is saved into the form. */
  readonly onLoad: (saved: Saved<T>) => void;
  /** Saves what is in the form over that. */
  readonly onOverwrite: (saved: Saved<T>) => void;
}

/** Why a save failed, within its form: what was typed stays there, and each failure has its way on. */
export function SaveFault<T extends object>({
  error,
  ways,
}: {
  readonly error: unknown;
  /** Of what has versions. */
  readonly ways?: WaysOn<T> | undefined;
}) {
  const { status, metadata, reason } = asProblem(error);
  const version = Number(metadata['version']);
  if (ways && (status === 409 || status === 412) && version > 0) {
    return <Conflict key={version} error={error} version={version} ways={ways} />;
  }
  const mayPass = reason === 'UNREACHABLE' || status >= 500;
  if (!mayPass) return <ErrorView error={error} />;
  return (
    <ErrorView error={error}>
      <p>What you have written is still here. Whether it was saved is not known.</p>
      <p className="actions">
        <Button small type="submit">
          Try again
        </Button>
      </p>
    </ErrorView>
  );
}

function Conflict<T extends object>({
  error,
  version,
  ways,
}: {
  readonly error: unknown;
  readonly version: number;
  readonly ways: WaysOn<T>;
}) {
  const id = useId();
  const { mineOver, read, onLoad, onOverwrite } = ways;
  const [isCompared, setIsCompared] = useState(false);
  const newest = useQuery({ queryKey: ['saved', id, version], queryFn: read, gcTime: 0 });
  return (
    <ErrorView error={error}>
      <Loaded query={newest}>
        {(saved) => (
          <>
            <p>
              {sortedJson(saved.written) === sortedJson(mineOver(saved))
                ? `Version ${saved.version} is what you have written: nothing is left to save.`
                : `Somebody has saved version ${saved.version} meanwhile. What you have written is still here.`}
            </p>
            <p className="actions">
              <Button small aria-expanded={isCompared} onClick={() => setIsCompared(!isCompared)}>
                Compare with mine
              </Button>
              <Button small onClick={() => onLoad(saved)}>
                Load version {saved.version}
              </Button>
              <Button small onClick={() => onOverwrite(saved)}>
                Save mine over version {saved.version}
              </Button>
            </p>
            {isCompared && (
              <ValueDiff
                label={`From version ${saved.version} to mine`}
                from={saved.written}
                to={mineOver(saved)}
              />
            )}
          </>
        )}
      </Loaded>
    </ErrorView>
  );
}

/** After a saved version was loaded: what had been written before, and the way back to it. */
export function SetAside({
  version,
  onRestore,
}: {
  readonly version: number;
  readonly onRestore: () => void;
}) {
  return (
    <div className="notice notice-info" role="status">
      <p>Version {version} is loaded. What you had written is kept until you save or leave.</p>
      <p className="actions">
        <Button small onClick={onRestore}>
          Back to mine
        </Button>
      </p>
    </div>
  );
}
