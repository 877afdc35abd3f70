import type { Schema } from '../../../api/client';
import { Badge } from '../../../ui/badge';

/** Every interface of a card: the one that the hub calls, and why it does not call the others. */
export function InterfaceList({
  interfaces,
}: {
  readonly interfaces: readonly Schema<'AgentInterfaceDto'>[];
}) {
  return (
    <ul className="agents-interfaces">
      {interfaces.map(({ url, protocolBinding, protocolVersion, chosen, reason }) => (
        <li key={`${url} ${protocolBinding} ${protocolVersion}`}>
          <div className="agents-badges">
            {chosen ? <Badge tone="good">called</Badge> : <Badge>not called</Badge>}
            <code>{url}</code>
            <span className="faint">
              {protocolBinding} {protocolVersion}
            </span>
          </div>
          {!(chosen && reason === 'called') && <p className="agents-sub">{reason}</p>}
        </li>
      ))}
    </ul>
  );
}
