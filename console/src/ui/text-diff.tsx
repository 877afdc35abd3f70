/** Lines that are the same, shown around what was changed. */
const AROUND = 3;

/** Lines of one text against those of another, at most; more are compared as a whole. */
const MOST_LINES = 1500;

interface Line {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** What was changed between two texts, line by line. */
export function TextDiff({
  from,
  to,
  label,
}: {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}) {
  const signs = { same: ' ', added: '+', removed: '−', left: '…' };
  return (
    <pre className="diff" aria-label={label}>
      {shownOf(linesOf(from, to)).map(({ kind, text }, index) => (
        <span key={index} className={`diff-${kind}`}>
          {signs[kind]} {text}
        </span>
      ))}
    </pre>
  );
}

/** Without the lines that are far from any change. */
function shownOf(
  lines: readonly Line[],
): { readonly kind: Line['kind'] | 'left'; readonly text: string }[] {
  const isNear = lines.map((_, index) =>
    lines
      .slice(Math.max(0, index - AROUND), index + AROUND + 1)
      .some(({ kind }) => kind !== 'same'),
  );
  const shown: { kind: Line['kind'] | 'left'; text: string }[] = [];
  let left = 0;
  const tell = () => {
    if (left > 0) shown.push({ kind: 'left', text: `${left} lines alike` });
    left = 0;
  };
  lines.forEach((each, index) => {
    if (!isNear[index]) {
      left += 1;
      return;
    }
    tell();
    shown.push(each);
  });
  tell();
  return shown;
}

/** The longest common subsequence of lines; what is in one text alone is removed or added. */
function linesOf(from: string, to: string): Line[] {
  const a = from.split('\n');
  const b = to.split('\n');
  if (a.length > MOST_LINES || b.length > MOST_LINES) {
    return [...a.map((text) => line('removed', text)), ...b.map((text) => line('added', text))];
  }
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i]![j] =
        a[i] === b[j]
          ? common[i + 1]![j + 1]! + 1
          : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push(line('same', a[i]!));
      i += 1;
      j += 1;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) lines.push(line('removed', a[i++]!));
    else lines.push(line('added', b[j++]!));
  }
  return [
    ...lines,
    ...a.slice(i).map((text) => line('removed', text)),
    ...b.slice(j).map((text) => line('added', text)),
  ];
}

function line(kind: Line['kind'], text: string): Line {
  return { kind, text };
}
