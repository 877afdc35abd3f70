import type { Schema } from '../../../api/client';
import { JsonTree } from '../../../ui/json-tree';
import { Card, Facts } from '../../../ui/page';
import { LongText } from '../../../ui/parts/long-text';
import { cardOf, DESCRIPTION } from './agent-card';
import { CardFacts } from './card-facts';
import { LastChanges } from './last-changes';
import { InterfaceList } from './interface-list';
import { SecurityList } from './security-list';
import { SignatureView } from './signature-view';

/** The card of an agent: what the hub makes of it, and the card itself. */
export function CardTab({ agent }: { readonly agent: Schema<'AgentDto'> }) {
  return (
    <div className="agents-stack">
      <Card title="What the agent says of itself">
        <LongText text={agent.description} characters={DESCRIPTION} />
        <CardFacts card={cardOf(agent.card)} />
      </Card>
      <div className="columns">
        <Card title="Interfaces">
          <InterfaceList interfaces={agent.interfaces} />
        </Card>
        <Card title="What it asks callers for">
          <SecurityList security={agent.security} />
        </Card>
        <Card title="Where the card is from">
          <Facts
            facts={{
              Address: agent.cardUrl ? <code>{agent.cardUrl}</code> : 'given at the registration',
              Signature: <SignatureView signature={agent.signature} />,
            }}
          />
        </Card>
      </div>
      <LastChanges agent={agent} />
      <Card title="The card as JSON">
        <JsonTree value={agent.card} label="the card" />
      </Card>
    </div>
  );
}
