import { Facts } from '../../../ui/page';
import { OuterLink } from '../../../ui/parts/outer-link';
import type { AgentCard } from './agent-card';

/** Who the agent says it is and what it can. */
export function CardFacts({ card }: { readonly card: AgentCard }) {
  const { capabilities = {}, provider } = card;
  const can = [
    capabilities.streaming && 'streams',
    capabilities.pushNotifications && 'sends push notifications',
    capabilities.extendedAgentCard && 'has an extended card',
  ].filter(Boolean);
  return (
    <Facts
      facts={{
        Version: card.version,
        Provider: provider && (
          <>
            {provider.organization}{' '}
            {provider.url && <OuterLink href={provider.url}>{provider.url}</OuterLink>}
          </>
        ),
        Documentation: card.documentationUrl && (
          <OuterLink href={card.documentationUrl}>{card.documentationUrl}</OuterLink>
        ),
        Abilities: can.length === 0 ? 'answers when asked' : can.join(', '),
        Takes: card.defaultInputModes?.join(', '),
        Gives: card.defaultOutputModes?.join(', '),
        Extensions: capabilities.extensions?.length
          ? capabilities.extensions.map(({ uri, required, description }) => (
              <div key={uri} title={description}>
                <code>{uri}</code> {required && <strong>required</strong>}
              </div>
            ))
          : null,
      }}
    />
  );
}
