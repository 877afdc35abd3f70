import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { useRules } from '../../../api/rules';
import { Confirm } from '../../../ui/dialog';
import { notify } from '../../../ui/toast';
import { workOfAgent } from './work-of-agent';

export function DeleteAgent({
  agent,
  onClose,
  onDone,
}: {
  readonly agent: Schema<'AgentDto'>;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}) {
  const remove = async () => {
    await client.DELETE('/api/v1/agents/{id}', { params: { path: { id: agent.id } } });
    notify(`${agent.name} was deleted.`);
    await onDone();
  };
  return (
    <Confirm
      open
      title={`Delete ${agent.name}?`}
      action="Delete"
      onClose={onClose}
      onConfirm={remove}
    >
      <p>
        Its settings and credentials are gone for good, those for single organizations and the
        consents of users too. Its id, <code>{agent.id}</code>, is free again.
      </p>
      <p>{workOfAgent(agent.health)}: what it works on goes on and can be canceled for 30 days.</p>
      <LeadingRules agentId={agent.id} />
    </Confirm>
  );
}

/** The routing rules that would lead to nobody. */
function LeadingRules({ agentId }: { readonly agentId: string }) {
  const rules = useRules(useMay('routing'));
  const names = (rules.data ?? [])
    .filter(({ enabled, target }) => enabled && target.agentId === agentId)
    .map(({ name }) => `“${name}”`);
  if (names.length === 0) return null;
  return (
    <p className="field-warning" role="status">
      {names.length === 1 ? 'The routing rule' : 'The routing rules'} {names.join(', ')}{' '}
      {names.length === 1 ? 'leads' : 'lead'} to it, and would be passed over.
    </p>
  );
}
