import { useEffect, useRef, useState } from 'react';
import { asProblem } from '../../api/problem';
import { Button } from '../button';
import { Icon } from '../icons';
import { notify } from '../toast';
import { bytesText } from '../time';
import { download } from './download';

/** Saves a file of any size that is read first: shows how far that is, and can be stopped. */
export function SaveButton({
  label,
  name,
  read,
}: {
  readonly label: string;
  /** Of the file. */
  readonly name: string;
  /** `onBytes` hears how much has come. */
  readonly read: (signal: AbortSignal, onBytes: (bytes: number) => void) => Promise<Blob>;
}) {
  const [bytes, setBytes] = useState<number | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async () => {
    const { signal } = (stop.current = new AbortController());
    setBytes(0);
    try {
      const content = await read(signal, setBytes);
      download(content, name);
      notify(`${name} was saved: ${bytesText(content.size)}.`);
    } catch (thrown) {
      notify(signal.aborted ? `${name} was not saved: stopped.` : asProblem(thrown).message);
    } finally {
      setBytes(null);
    }
  };
  if (bytes !== null) {
    return (
      <Button small onClick={() => stop.current?.abort()}>
        Stop saving at {bytesText(bytes)}
      </Button>
    );
  }
  return (
    <Button small icon={<Icon name="download" />} onClick={() => void run()}>
      {label}
    </Button>
  );
}
