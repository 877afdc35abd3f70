import { client, type Schema } from '../../../api/client';
import { Confirm } from '../../../ui/dialog';
import { notify } from '../../../ui/toast';
import { workOfAgent } from './work-of-agent';

export function KillAgent({
  agent,
  onClose,
  onDone,
}: {
  readonly agent: Schema<'AgentDto'>;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}) {
  const kill = async () => {
    const { data } = await client.POST('/api/v1/agents/{id}:kill', {
      params: { path: { id: agent.id } },
    });
    notify(
      `${agent.name} was killed: ${data?.canceled ?? 0} canceled, ${data?.movedOn ?? 0} moved on to other agents.`,
    );
    await onDone();
  };
  const { outstanding } = agent.health;
  return (
    <Confirm
      open
      title={`Kill ${agent.name}?`}
      action={outstanding === 0 ? 'Kill' : `Kill and cancel ${outstanding}`}
      onClose={onClose}
      onConfirm={kill}
    >
      <p>
        <strong>{workOfAgent(agent.health)}</strong>.
      </p>
      <p>
        What it works on is canceled at once, and the status of each task says so. What waits in its
        queue goes to the next agent of its route, or is canceled. The agent gets no new work until
        it is enabled again.
      </p>
      <p>To let it finish, drain it instead.</p>
    </Confirm>
  );
}
