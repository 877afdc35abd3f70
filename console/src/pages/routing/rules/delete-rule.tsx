import { Confirm } from '../../../ui/dialog';
import type { Rule } from '../../../api/rules';
import { deleteRule } from './change-rules';

export function DeleteRule({
  rule,
  onClose,
  onDeleted,
}: {
  readonly rule: Rule | null;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}) {
  return (
    <Confirm
      title={`Delete the rule “${rule?.name ?? ''}”?`}
      action="Delete the rule"
      open={rule !== null}
      onClose={onClose}
      onConfirm={async () => {
        if (rule !== null) await deleteRule(rule);
        onDeleted?.();
      }}
    >
      <p>Messages it applies to go by the rules behind it from now on, and then by their words.</p>
    </Confirm>
  );
}
