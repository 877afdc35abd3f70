import { Button } from '../../ui/button';
import { Icon } from '../../ui/icons';
import { bytesText } from '../../ui/time';
import { sentBytes, USUAL_LIMIT_BYTES } from './attachments';

/** The files that go with the next message, and how large they make it. */
export function AttachedFiles({
  files,
  onRemove,
}: {
  readonly files: readonly File[];
  readonly onRemove: (file: File) => void;
}) {
  if (files.length === 0) return null;
  const bytes = sentBytes(files);
  const isLarge = bytes > USUAL_LIMIT_BYTES;
  return (
    <div>
      <ul className="playground-files" aria-label="Files to be sent">
        {files.map((file, index) => (
          <li key={`${file.name} ${index}`}>
            {file.name} <span className="faint">{bytesText(file.size)}</span>
            <Button
              small
              kind="quiet"
              aria-label={`Leave out ${file.name}`}
              icon={<Icon name="close" />}
              onClick={() => onRemove(file)}
            />
          </li>
        ))}
      </ul>
      <p className={isLarge ? 'field-error' : 'hint faint'}>
        {bytesText(bytes)} as base64. The hub takes {bytesText(USUAL_LIMIT_BYTES)} in one message
        unless it is set otherwise (<code>server.bodyLimit</code>)
        {isLarge ? ': this one may be refused.' : '.'}
      </p>
    </div>
  );
}
