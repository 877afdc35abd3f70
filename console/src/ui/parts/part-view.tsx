import { useMemo, useState } from 'react';
import type { Part } from '../../api/a2a';
import { Button } from '../button';
import { CopyButton } from '../copy';
import { Icon } from '../icons';
import { JsonTree } from '../json-tree';
import { bytesText } from '../time';
import { download, safeFileName } from './download';
import { OuterLink } from './outer-link';
import { contentOf, type PartContent, type TextForm } from './part-kind';
import { RasterImage } from './raster-image';
import { TextView } from './text-view';
import './parts.css';

const FORM_LABELS: Readonly<Record<TextForm, string>> = {
  markdown: 'Formatted',
  csv: 'Table',
  json: 'Tree',
  text: 'Source',
};

/** One part of a message or an artifact. Its content is data: it is never HTML, and nothing in it is loaded. */
export function PartView({ part, isFile }: { readonly part: Part; readonly isFile: boolean }) {
  const content = useMemo(() => contentOf(part), [part]);
  const [chosen, setChosen] = useState<TextForm | null>(null);
  const forms = content.kind === 'text' ? content.forms : [];
  const form = chosen !== null && forms.includes(chosen) ? chosen : (forms[0] ?? 'text');
  const name = safeFileName(part.filename, nameless(content));
  const hasMetadata = part.metadata !== undefined && Object.keys(part.metadata).length > 0;
  return (
    <div className="part">
      <PartHead
        part={part}
        content={content}
        name={name}
        isFile={isFile}
        form={form}
        onForm={setChosen}
      />
      <Content content={content} form={form} name={name} />
      {hasMetadata && (
        <details className="part-metadata">
          <summary>Metadata</summary>
          <JsonTree value={part.metadata} label="Metadata of this part" />
        </details>
      )}
    </div>
  );
}

/** The parts of one message or artifact, in their order. */
export function PartList({
  parts,
  isFile = false,
}: {
  readonly parts: readonly Part[] | undefined;
  /** What was made, rather than said: plain text can be saved, too. */
  readonly isFile?: boolean;
}) {
  if (!parts || parts.length === 0) return <p className="faint">No parts.</p>;
  return (
    <div className="part-list">
      {parts.map((part, index) => (
        <PartView key={index} part={part} isFile={isFile} />
      ))}
    </div>
  );
}

function PartHead({
  part,
  content,
  name,
  isFile,
  form,
  onForm,
}: {
  readonly part: Part;
  readonly content: PartContent;
  readonly name: string;
  readonly isFile: boolean;
  readonly form: TextForm;
  readonly onForm: (form: TextForm) => void;
}) {
  const forms = content.kind === 'text' ? content.forms : [];
  const bytes = 'bytes' in content ? content.bytes : null;
  const facts = [
    part.filename && name,
    content.kind === 'image' ? content.image.mediaType : typeShown(part),
    content.kind === 'image' &&
      content.image.width !== null &&
      `${content.image.width} × ${content.image.height}`,
    bytes !== null && bytesText(bytes.length),
  ].filter(Boolean);
  const isBare = !isFile && content.kind === 'text' && facts.length === 0 && forms.length < 2;
  const saved = savedOf(content);
  if (isBare || content.kind === 'broken') return null;
  return (
    <div className="part-head">
      <span className="faint">{facts.join(' · ')}</span>
      <span className="part-tools">
        {forms.length > 1 && (
          <span className="part-forms" role="group" aria-label={`How ${name} is shown`}>
            {forms.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={each === form}
                onClick={() => onForm(each)}
              >
                {FORM_LABELS[each]}
              </button>
            ))}
          </span>
        )}
        {content.kind === 'text' && <CopyButton text={content.text} label={`Copy ${name}`} />}
        {saved !== null && (
          <Button
            small
            kind="quiet"
            icon={<Icon name="download" />}
            aria-label={`Download ${name}`}
            onClick={() => download(saved, name)}
          >
            Download
          </Button>
        )}
      </span>
    </div>
  );
}

function Content({
  content,
  form,
  name,
}: {
  readonly content: PartContent;
  readonly form: TextForm;
  readonly name: string;
}) {
  switch (content.kind) {
    case 'text':
      return (
        <TextView
          text={content.text}
          form={form}
          label={name}
          mono={content.bytes !== null || form !== content.forms[0]}
        />
      );
    case 'image':
      return <RasterImage bytes={content.bytes} image={content.image} name={name} />;
    case 'data':
      return <JsonTree value={content.value} label="Data" />;
    case 'url':
      return (
        <p className="part-url">
          A file at another place, which the console does not load:{' '}
          <OuterLink href={content.url}>{content.url.slice(0, 300)}</OuterLink>
        </p>
      );
    case 'file':
      return <p className="faint">{content.why ?? 'A file of bytes: it can be downloaded.'}</p>;
    case 'broken':
      return <p className="faint">{content.why}</p>;
  }
}

/** Plain text needs no name. */
function typeShown({ mediaType, text, filename }: Part): string | undefined {
  return mediaType === 'text/plain' && text !== undefined && !filename ? undefined : mediaType;
}

/** What is saved of a part; null where it holds nothing. */
function savedOf(content: PartContent): BlobPart | null {
  if ('bytes' in content && content.bytes !== null) return content.bytes;
  if (content.kind === 'text') return content.text;
  return content.kind === 'data' ? `${JSON.stringify(content.value, null, 2)}\n` : null;
}

const ENDINGS: Readonly<Record<TextForm, string>> = {
  markdown: 'md',
  csv: 'csv',
  json: 'json',
  text: 'txt',
};

function nameless(content: PartContent): string {
  switch (content.kind) {
    case 'image':
      return `image.${content.image.mediaType.replace('image/', '')}`;
    case 'text':
      return `text.${ENDINGS[content.forms[0] ?? 'text']}`;
    case 'data':
      return 'data.json';
    case 'url':
    case 'broken':
    case 'file':
      return 'file';
  }
}
