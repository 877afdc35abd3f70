import { sortedJson } from './sorted-json';
import { TextDiff } from './text-diff';

/** What is different between two values, whatever the order of their members. */
export function ValueDiff({
  label,
  from,
  to,
}: {
  readonly label: string;
  readonly from: unknown;
  readonly to: unknown;
}) {
  const [before, after] = [sortedJson(from), sortedJson(to)];
  if (before === after) return <p className="faint">They are the same.</p>;
  return <TextDiff label={label} from={before} to={after} />;
}
