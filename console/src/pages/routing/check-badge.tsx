import type { FieldViolation } from '../../api/problem';
import { Badge } from '../../ui/badge';
import { counted } from '../../ui/lists';

/** Whether what is being written could be saved: by `problems`, which are those of the check and what the hub has refused. */
export function CheckBadge({
  check: { problems, isPending, error },
}: {
  readonly check: {
    readonly problems: readonly FieldViolation[];
    readonly isPending: boolean;
    readonly error: unknown;
  };
}) {
  if (isPending) return <Badge>checking …</Badge>;
  if (error) return null;
  if (problems.length === 0) return <Badge tone="good">can be saved</Badge>;
  return (
    <Badge tone="bad" title={problems.map(({ description }) => description).join('\n')}>
      {counted(problems.length, 'problem')}
    </Badge>
  );
}
