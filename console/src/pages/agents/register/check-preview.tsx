import type { Schema } from '../../../api/client';
import { Notice } from '../../../ui/feedback';
import { counted } from '../../../ui/lists';
import { Card, Facts } from '../../../ui/page';
import { LongText } from '../../../ui/parts/long-text';
import { cardOf, DESCRIPTION, skillsOf } from '../card/agent-card';
import { CardFacts } from '../card/card-facts';
import { InterfaceList } from '../card/interface-list';
import { SecurityList } from '../card/security-list';
import { SignatureView } from '../card/signature-view';
import { SkillList } from '../card/skill-list';
import { ProbeForm } from './probe-form';
import type { CardSource, NewSettings } from './register-request';

/** What the hub would call and why, what the agent offers, and what it asks for. */
export function CheckPreview({
  found,
  source,
  settings,
  onChange,
}: {
  readonly found: Schema<'AgentCheckDto'>;
  readonly source: CardSource;
  readonly settings: NewSettings;
  readonly onChange: (settings: NewSettings) => void;
}) {
  const skills = skillsOf(found.card);
  return (
    <Card title={`2. This is ${found.name}`}>
      <div className="agents-stack">
        <Warnings found={found} />
        <LongText text={cardOf(found.card).description ?? ''} characters={DESCRIPTION} />
        <div className="columns">
          <div>
            <h3>What the hub would call</h3>
            <InterfaceList interfaces={found.interfaces} />
          </div>
          <div>
            <h3>What it asks callers for</h3>
            <SecurityList security={found.security} />
          </div>
        </div>
        <details className="agents-more">
          <summary>The card: who made it, what it can, its signature</summary>
          <CardFacts card={cardOf(found.card)} />
          <Facts
            facts={{
              'Where the card was found': found.cardUrl && <code>{found.cardUrl}</code>,
              Signature: <SignatureView signature={found.signature} />,
            }}
          />
        </details>
        <div>
          <h3>{counted(skills.length, 'skill')}, by which the hub routes to it</h3>
          <SkillList skills={skills} />
        </div>
        <ProbeForm source={source} settings={settings} onChange={onChange} />
      </div>
    </Card>
  );
}

function Warnings({ found }: { readonly found: Schema<'AgentCheckDto'> }) {
  const { endpointResolves, cardTrouble, signature, endpoint } = found;
  return (
    <>
      {!endpointResolves && (
        <Notice tone="warning">
          <p>
            The host of <code>{endpoint.url}</code> cannot be found now. Calls fail until it can.
          </p>
        </Notice>
      )}
      {cardTrouble && (
        <Notice tone="warning">
          <p>
            <strong>The card is {cardTrouble.kind}:</strong> {cardTrouble.reason}
          </p>
        </Notice>
      )}
      {signature.outcome === 'invalid' && (
        <Notice tone="bad">
          <p>
            <strong>The signature of the card is not valid.</strong> {signature.reason}
          </p>
        </Notice>
      )}
    </>
  );
}
