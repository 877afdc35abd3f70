import { useState } from 'react';

const SHOWN_CHARACTERS = 2_000;
const SHOWN_LINES = 30;

/** A text as it is, of which a long one is cut until one asks for all of it. */
export function LongText({
  text,
  mono = false,
}: {
  readonly text: string;
  readonly mono?: boolean;
}) {
  const [whole, setWhole] = useState(false);
  const cut = whole ? text : cutOf(text);
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

function cutOf(text: string): string {
  let end = -1;
  for (let line = 0; line < SHOWN_LINES; line++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0 || end > SHOWN_CHARACTERS) break;
  }
  const cut = text.slice(0, end < 0 || end > SHOWN_CHARACTERS ? SHOWN_CHARACTERS : end);
  // Little more is not worth a click.
  return text.length - cut.length < SHOWN_CHARACTERS / 10 ? text : cut;
}
