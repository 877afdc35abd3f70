import { useEffect, useRef, useState } from 'react';
import { readBlob } from '../../../api/blob';
import { asProblem } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { Icon } from '../../../ui/icons';
import { download } from '../../../ui/parts/download';
import { bytesText } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { type AuditQuery, auditQueryText } from './audit-query';

/** Saves what fits the filters as NDJSON; of any size, so it shows how far it is and can be stopped. */
export function AuditExport({ query }: { readonly query: AuditQuery }) {
  const [bytes, setBytes] = useState<number | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async () => {
    stop.current = new AbortController();
    setBytes(0);
    try {
      const content = await readBlob(
        `api/v1/audit:export?${auditQueryText(query)}`,
        stop.current.signal,
        setBytes,
      );
      download(content, 'audit.ndjson');
      notify(`The audit log was saved: ${bytesText(content.size)}.`);
    } catch (thrown) {
      notify(stop.current.signal.aborted ? 'The export was stopped.' : asProblem(thrown).message);
    } finally {
      setBytes(null);
    }
  };
  if (bytes !== null) {
    return (
      <Button small onClick={() => stop.current?.abort()}>
        Stop the export at {bytesText(bytes)}
      </Button>
    );
  }
  return (
    <Button small icon={<Icon name="download" />} onClick={() => void run()}>
      Export as NDJSON
    </Button>
  );
}
