import { sentenceOf } from '../../common/sentence.js';
import { Injectable } from '@nestjs/common';
import { AgentMonitor, AgentRegistry, agentTrouble, UnreadAgents } from '../../agents/index.js';
import { AccessTokens, type Principal } from '../../auth/index.js';
import { Egress } from '../../common/egress/egress.js';
import { AppConfig } from '../../config/index.js';
import { countOf } from '../domain/words.js';
import { type TroubledReceiver, TroubledReceivers } from './troubled-receivers.js';
import {
  fine,
  type HealthFinding,
  type HealthTrouble,
  MOST_TROUBLES,
  wrong,
} from './health-check.js';

/** How those stand that the hub calls. */
@Injectable()
export class CalleeHealth {
  constructor(
    private readonly way: Egress,
    private readonly tokens: AccessTokens,
    private readonly registry: AgentRegistry,
    private readonly unread: UnreadAgents,
    private readonly monitor: AgentMonitor,
    private readonly receiversInTrouble: TroubledReceivers,
    private readonly config: AppConfig,
  ) {}

  async egress(): Promise<HealthFinding> {
    if (this.config.egress.proxy === null) {
      return fine('Agents, receivers and issuers are called without a proxy (egress.proxy).');
    }
    const fault = await this.way.proxyFault();
    if (fault === null) return fine('The egress proxy answers.');
    return wrong(
      'failing',
      `The egress proxy cannot be used: ${sentenceOf(fault)}`,
      'Look at the proxy and at egress.proxy with its credentials: nothing that is not in egress.noProxy can be called.',
    );
  }

  async issuers(): Promise<HealthFinding> {
    const all = await this.tokens.troubles();
    if (all.length === 0) return fine('No issuers of access tokens are configured (auth.issuers).');
    const troubles = all.flatMap(({ id, why }) => (why === null ? [] : [{ id, why }]));
    const out =
      troubles.length === 0 ? 'none is out of reach' : `${troubles.length} cannot be reached`;
    const summary = `${countOf(all.length, 'issuer')} of access tokens; ${out}.`;
    if (troubles.length === 0) return fine(summary);
    return wrong(
      troubles.length === all.length ? 'failing' : 'warning',
      summary,
      'Callers with their tokens get 503 once what they published is an hour old. Look at the issuer, the name service and egress.allow (docs/sign-in.md).',
      troubles,
    );
  }

  agents(): HealthFinding {
    const all = [...this.registry.all(), ...this.unread.all()];
    const enabled = all.filter((agent) => agent.enabled);
    if (enabled.length === 0) {
      return wrong(
        'warning',
        'No agent is registered and enabled: every message is refused.',
        'Register one by POST /api/v1/agents or agents.declared (docs/agents.md).',
      );
    }
    const seen = enabled.map((agent) => ({ agent, view: this.monitor.viewOf(agent.id) }));
    const troubles = seen.flatMap(({ agent, view }): HealthTrouble[] => {
      const why = agentTrouble(agent, view);
      return why === null ? [] : [{ id: agent.id, why }];
    });
    const out = troubles.length === 0 ? 'none' : troubles.length;
    const summary = `${countOf(enabled.length, 'agent')}; ${out} in trouble, as this process sees it.`;
    if (troubles.length === 0) return fine(summary);
    return wrong(
      seen.every(({ view }) => view.health === 'down') ? 'failing' : 'warning',
      summary,
      'GET /api/v1/agents/{id} shows its health and its card, POST /api/v1/agents/{id}:refresh reads the card again (docs/agent-health.md).',
      troubles,
    );
  }

  async receivers(): Promise<HealthFinding> {
    const found = await this.receiversInTrouble.find(OPERATOR, MOST_TROUBLES + 1);
    const troubles = found.receivers.map((each) => receiverTrouble(each, found.isLeast));
    if (troubles.length === 0) return fine('No receiver of webhooks is in trouble.');
    const least =
      troubles.length > MOST_TROUBLES
        ? `More than ${MOST_TROUBLES} receivers`
        : `${found.isLeast ? 'At least ' : ''}${countOf(troubles.length, 'receiver')}`;
    return wrong(
      'warning',
      `${least} of webhooks in trouble: events wait for them, or became dead letters.`,
      'GET /api/v1/push/endpoints shows each with its last error; once it answers, POST /api/v1/push/dead-letters:redeliver sends dead letters again (docs/delivery.md).',
      troubles,
    );
  }
}

/** Whoever is shown the details sees everything. */
const OPERATOR: Principal = {
  id: 'health',
  organization: '',
  scopes: new Set(['admin']),
};

function receiverTrouble(receiver: TroubledReceiver, isLeast: boolean): HealthTrouble {
  const { organization, origin, lastError, waiting, lost } = receiver;
  const why = lastError === null ? '' : ` (${lastError.replace(/\.$/, '')})`;
  const gaveUp = `given up in the last 24 hours: ${lost}${isLeast ? ' or more' : ''}`;
  return {
    id: `${organization} ${origin}`,
    why: sentenceOf(
      `${stateText(receiver)}${why}; webhooks that wait for it: ${waiting}${lost === 0 ? '' : `; ${gaveUp}`}`,
    ),
  };
}

function stateText({ state, rejects, gone, rejected }: TroubledReceiver): string {
  if (gone) return 'It answered 410: the webhook that it no longer wants is disabled';
  if (rejects) return 'It answers, but rejects events';
  if (state === 'failing' || state === 'disabled') return `It is ${state}`;
  if (state === 'untried') return 'Nothing was sent there yet, but events were lost';
  return rejected > 0 ? 'It answers, but rejected events' : 'It answers, but events were lost';
}
