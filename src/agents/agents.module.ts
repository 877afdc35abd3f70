import { Module } from '@nestjs/common';
import { CertificateWatch } from '../common/certificate-watch.js';
import { AuthModule, Belongings } from '../auth/index.js';
import { KnownAgents, PoliciesModule } from '../policies/index.js';
import { SigningModule } from '../signing/index.js';
import { AgentClient } from './client/agent-client.js';
import { AgentHealth } from './health/agent-health.js';
import { RegistrationCheck } from './registration/registration-check.js';
import { AgentLoad } from './health/agent-load.js';
import { AgentData } from './registry/agent-data.js';
import { FORGET_ORGANIZATION } from '../observability/persistence/forget-agents.js';
import { forgetDeletedAgents, hasAgents } from './persistence/agents-of.js';
import { SqlAgentData } from './persistence/sql-agent-data.js';
import { AgentDeviations } from './registry/agent-deviations.js';
import { AgentRegistry } from './registry/agent-registry.js';
import { AgentStore } from './registry/agent-store.js';
import { AgentCredentialsController } from './api/agent-credentials.controller.js';
import { AgentActivityController } from './api/agent-activity.controller.js';
import { AgentsController } from './api/agents.controller.js';
import { OrganizationCredentialsService } from './registration/organization-credentials.service.js';
import { AgentsService } from './registration/agents.service.js';
import { AgentCheckController } from './api/agent-check.controller.js';
import { AgentProbe } from './check/agent-probe.js';
import { CardReader } from './card/card-reader.js';
import { CardTrust } from './card/card-trust.js';
import { CardVerifier } from './card/card-verifier.js';
import { CallerTokens } from './client/caller-tokens.js';
import { AgentAuthenticator } from './client/authentication/agent-authenticator.js';
import { RevealedSecrets } from './client/authentication/revealed-secrets.js';
import { ConsentEnding } from './client/authentication/consent-ending.js';
import { ConsentProviders } from './client/authentication/consent-providers.js';
import { UserConsents } from './client/authentication/user-consents.js';
import { TokenServers } from './client/authentication/token-servers.js';
import { EndpointMemory } from './client/endpoint-memory.js';
import { SdkAgentClient } from './client/sdk-agent.client.js';
import { DeclaredAgents } from './registration/declared-agents.service.js';
import { AgentEventsController } from './health/agent-events.controller.js';
import { AgentCalls } from './health/agent-calls.js';
import { AgentsByHealth } from './api/agents-by-health.js';
import { HealthBefore } from './health/health-before.js';
import { AgentHours } from './health/agent-hours.js';
import { AgentActivity } from './health/agent-activity.js';
import { AgentEvents } from './health/agent-events.js';
import { AgentLoads } from './health/agent-loads.js';
import { AgentMetrics } from './health/agent-metrics.js';
import { AgentMonitor } from './health/agent-monitor.js';
import { ConditionExchange } from './health/condition-exchange.js';
import { OthersConditions } from './health/others-conditions.js';
import { ConditionStore } from './registry/condition-store.js';
import { SqlConditionStore } from './persistence/sql-condition.store.js';
import { AgentHealthChecks } from './health/agent-health-checks.js';
import { ObservedAgentClient } from './health/observed-agent.client.js';
import { Referable } from './registration/referable.js';
import { UnreadAgents } from './registration/unread-agents.js';
import { ConsentEnder } from './consents/consent-ender.js';
import { ConsentStore } from './consents/consent-store.js';
import { SqlConsentStore } from './persistence/sql-consent.store.js';
import { ConsentsController } from './api/consents.controller.js';
import { ConsentEnds } from './registration/consent-ends.js';
import { SqlAgentStore } from './persistence/sql-agent.store.js';
import { logOf } from '../common/module-logs.js';

@Module({
  imports: [AuthModule, PoliciesModule, SigningModule],
  controllers: [
    AgentEventsController,
    AgentCheckController,
    AgentsController,
    AgentActivityController,
    AgentCredentialsController,
    ConsentsController,
  ],
  providers: [
    logOf('agents'),
    { provide: AgentStore, useClass: SqlAgentStore },
    { provide: AgentData, useClass: SqlAgentData },
    { provide: ConsentStore, useClass: SqlConsentStore },
    CallerTokens,
    TokenServers,
    ConsentProviders,
    ConsentEnding,
    { provide: ConsentEnder, useExisting: ConsentEnding },
    UserConsents,
    RevealedSecrets,
    CertificateWatch,
    AgentAuthenticator,
    SdkAgentClient,
    {
      provide: AgentClient,
      inject: [SdkAgentClient, AgentMonitor, AgentCalls],
      useFactory: (client: SdkAgentClient, monitor: AgentMonitor, calls: AgentCalls) =>
        new ObservedAgentClient(client, monitor, calls),
    },
    AgentCalls,
    AgentEvents,
    AgentLoads,
    { provide: AgentLoad, useExisting: AgentLoads },
    OthersConditions,
    { provide: ConditionStore, useClass: SqlConditionStore },
    ConditionExchange,
    AgentMonitor,
    { provide: AgentHealth, useExisting: AgentMonitor },
    AgentHealthChecks,
    AgentMetrics,
    AgentActivity,
    HealthBefore,
    AgentHours,
    AgentsByHealth,
    EndpointMemory,
    CardReader,
    CardVerifier,
    CardTrust,
    RegistrationCheck,
    AgentRegistry,
    AgentDeviations,
    AgentProbe,
    UnreadAgents,
    Referable,
    AgentsService,
    OrganizationCredentialsService,
    DeclaredAgents,
    ConsentEnds,
  ],
  exports: [
    AgentHours,
    UserConsents,
    AgentData,
    AgentStore,
    AgentClient,
    AgentHealth,
    AgentLoad,
    AgentMonitor,
    AgentDeviations,
    AgentRegistry,
    AgentsService,
    UnreadAgents,
  ],
})
export class AgentsModule {
  constructor(belongings: Belongings, known: KnownAgents, registry: AgentRegistry) {
    const sql = 'SELECT agent_id FROM agent_credentials WHERE organization = ?';
    belongings.add('organization', 'credentials for agents', sql);
    belongings.add('organization', 'agents', hasAgents);
    const given = 'SELECT id FROM consents WHERE organization = ?';
    belongings.add('organization', 'consents', given);
    belongings.addRecords('organization', forgetDeletedAgents);
    belongings.addRecords('organization', FORGET_ORGANIZATION);
    known.add((id) => {
      const agent = registry.get(id);
      return (
        agent && {
          tags: agent.tags,
          skills: agent.card.skills,
          closedTo: (organization) => registry.closedTo(organization, agent),
        }
      );
    });
    // Another principal of the same id would be called with them.
    const consents = 'SELECT id FROM consents WHERE principal_id = ?';
    belongings.add('principal', 'consents', consents);
  }
}
