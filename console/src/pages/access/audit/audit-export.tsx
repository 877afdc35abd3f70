import { readBlob } from '../../../api/blob';
import { SaveButton } from '../../../ui/parts/save-button';
import { type AuditQuery, auditQueryText } from './audit-query';

/** Saves what fits the filters as NDJSON. */
export function AuditExport({ query }: { readonly query: AuditQuery }) {
  return (
    <SaveButton
      label="Export as NDJSON"
      name="audit.ndjson"
      read={(signal, onBytes) =>
        readBlob(`api/v1/audit:export?${auditQueryText(query)}`, signal, onBytes)
      }
    />
  );
}
