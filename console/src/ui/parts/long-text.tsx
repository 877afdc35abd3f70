import { useState } from 'react';
import './parts.css';

const SHOWN_CHARACTERS = 2_000;
const SHOWN_LINES = 30;

/** A text as it is, of which a long one is cut until one asks for all of it. */
export function LongText({
  text,
  mono = false,
  characters = SHOWN_CHARACTERS,
}: {
  readonly text: string;
  readonly mono?: boolean;
  /** How many are shown at first. */
  readonly characters?: number;
}) {
  const [whole, setWhole] = useState(false);
  const cut = whole ? text : cutOf(text, characters);
  return (
    <div>
      <div className={mono ? 'part-text mono' : 'part-text'}>{cut}</div>
      {cut.length < text.length && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}

function cutOf(text: string, most: number): string {
  let end = -1;
  for (let line = 0; line < SHOWN_LINES; line++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0 || end > most) break;
  }
  const cut = text.slice(0, end < 0 || end > most ? most : end);
  // Little more is not worth a click.
  return text.length - cut.length < most / 10 ? text : cut;
}
