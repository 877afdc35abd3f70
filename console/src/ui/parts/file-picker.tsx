import { useId, useState } from 'react';
import type { Part } from '../../api/a2a';
import { Icon } from '../icons';
import { bytesText } from '../time';
import { sizeOfBase64 } from './bytes';
import { fileParts } from './file-parts';
import './parts.css';

/** Files for a message, as parts with their bytes. */
export function FilePicker({
  files,
  onChange,
}: {
  readonly files: readonly Part[];
  readonly onChange: (files: readonly Part[]) => void;
}) {
  const id = useId();
  const [error, setError] = useState<string | null>(null);
  const add = async (list: FileList | null) => {
    if (list === null || list.length === 0) return;
    try {
      onChange([...files, ...(await fileParts([...list]))]);
      setError(null);
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <div className="file-picker">
      <label className="button button-small" htmlFor={id}>
        <Icon name="plus" /> Attach files
      </label>
      <input
        id={id}
        className="visually-hidden"
        type="file"
        multiple
        onChange={({ target }) => {
          void add(target.files);
          target.value = '';
        }}
      />
      {files.map((file, index) => (
        <span key={index} className="badge">
          {file.filename} · {bytesText(sizeOfBase64(file.raw ?? ''))}
          <button
            type="button"
            className="copy"
            aria-label={`Remove ${file.filename}`}
            onClick={() => onChange(files.filter((_each, at) => at !== index))}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      {error !== null && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
