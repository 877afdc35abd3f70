import { useNavigate } from '@tanstack/react-router';
import { client } from '../../../api/client';
import { notify } from '../../../ui/toast';
import { RoutingFrame } from '../routing-frame';
import type { RuleDraft } from './rule-draft';
import { RuleEditor } from './rule-editor';
import { rulesChanged } from './change-rules';

export function NewRulePage() {
  const navigate = useNavigate();
  const save = async (draft: RuleDraft) => {
    const { data } = await client.POST('/api/v1/routes/rules', { body: draft as never });
    await rulesChanged();
    notify(`“${data?.name}” is no. ${data?.position} of the rules.`);
    await navigate({ to: '/routing/rules' });
  };
  return (
    <RoutingFrame title="New rule">
      <RuleEditor action="Make the rule" onSave={save} />
    </RoutingFrame>
  );
}
