import { client, type Schema } from '../../../api/client';
import { Confirm } from '../../../ui/dialog';
import { notify } from '../../../ui/toast';
import { workOfAgent } from './work-of-agent';

export function DrainAgent({
  agent,
  onClose,
  onDone,
}: {
  readonly agent: Schema<'AgentDto'>;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}) {
  const drain = async () => {
    await client.PATCH('/api/v1/agents/{id}', {
      params: { path: { id: agent.id } },
      body: { enabled: false },
    });
    notify(`${agent.name} gets no new work; what it works on goes on.`);
    await onDone();
  };
  return (
    <Confirm
      open
      title={`Drain ${agent.name}?`}
      action="Drain"
      danger={false}
      onClose={onClose}
      onConfirm={drain}
    >
      <p>
        It is disabled: it gets no new work and is in no card of the hub. What it works on goes on
        to its end; what waits in its queue goes to the next agent of the route, or fails.
      </p>
      <p>{workOfAgent(agent.health)}.</p>
      <p>It can be enabled again at any time.</p>
    </Confirm>
  );
}
