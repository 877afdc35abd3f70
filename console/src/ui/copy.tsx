import { useState } from 'react';
import { Icon } from './icons';

const SHOWN_MS = 1500;

/** A button that copies a text, and says that it did. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string;
  readonly label?: string;
}) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed');
    }
    setTimeout(() => setState('idle'), SHOWN_MS);
  };
  const said = { idle: label, copied: 'Copied', failed: 'Copying is not allowed here' }[state];
  return (
    <button
      type="button"
      className="copy"
      onClick={() => void copy()}
      title={said}
      aria-label={said}
    >
      <Icon name={state === 'copied' ? 'check' : 'copy'} />
    </button>
  );
}

/** An id that can be copied: shortened to the eye, whole in the clipboard. */
export function Id({ value, short = false }: { readonly value: string; readonly short?: boolean }) {
  const shown = short && value.length > 14 ? `${value.slice(0, 8)}…${value.slice(-4)}` : value;
  return (
    <span className="id">
      <code title={value}>{shown}</code>
      <CopyButton text={value} label={`Copy ${value}`} />
    </span>
  );
}
