import { client, type Schema } from '../../../api/client';
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
      <p>
        {workOfAgent(agent.health)}, as this process of the hub sees it: what it works on goes on
        and can be canceled for 30 days.
      </p>
    </Confirm>
  );
}
