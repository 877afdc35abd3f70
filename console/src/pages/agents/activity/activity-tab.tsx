import { useMay } from '../../../api/me';
import { Card } from '../../../ui/page';
import { AgentTasks } from './agent-tasks';
import { HealthLog } from './health-log';

/** What an agent was last given, and how its health changed. */
export function ActivityTab({ agentId }: { readonly agentId: string }) {
  const seesTasks = useMay('tasks:organization');
  return (
    <div className="agents-stack">
      {seesTasks && <AgentTasks agentId={agentId} />}
      <Card title="Changes of its health, as the process that answers saw them" flush>
        <HealthLog agentId={agentId} />
      </Card>
    </div>
  );
}
