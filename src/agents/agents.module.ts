import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { AgentClient } from './agent-client.js';
import { AgentHealth } from './agent-health.js';
import { AgentIntake } from './agent-intake.js';
import { AgentLoad } from './agent-load.js';
import { AgentQuirks } from './agent-quirks.js';
import { AgentRegistry } from './agent-registry.js';
import { AgentStore } from './agent-store.js';
import { AgentsController } from './agents.controller.js';
import { AgentsService } from './agents.service.js';
import { AgentCheckController } from './check/agent-check.controller.js';
import { AgentProbe } from './check/agent-probe.js';
import { CardReader } from './card/card-reader.js';
import { CardTrust } from './card/card-trust.js';
import { CardVerifier } from './card/card-verifier.js';
import { KeySets } from './card/key-sets.js';
import { EndpointMemory } from './client/endpoint-memory.js';
import { SdkAgentClient } from './client/sdk-agent.client.js';
import { DeclaredAgents } from './declared-agents.service.js';
import { AgentEventsController } from './health/agent-events.controller.js';
import { AgentEvents } from './health/agent-events.js';
import { AgentLoads } from './health/agent-loads.js';
import { AgentMetrics } from './health/agent-metrics.js';
import { AgentMonitor } from './health/agent-monitor.js';
import { AgentProber } from './health/agent-prober.js';
import { ObservedAgentClient } from './health/observed-agent.client.js';
import { UnreadAgents } from './unread-agents.js';
import { SqlAgentStore } from './persistence/sql-agent.store.js';

@Module({
  imports: [AuthModule],
  controllers: [AgentEventsController, AgentCheckController, AgentsController],
  providers: [
    { provide: AgentStore, useClass: SqlAgentStore },
    SdkAgentClient,
    {
      provide: AgentClient,
      inject: [SdkAgentClient, AgentMonitor],
      useFactory: (client: SdkAgentClient, monitor: AgentMonitor) =>
        new ObservedAgentClient(client, monitor),
    },
    AgentEvents,
    AgentLoads,
    { provide: AgentLoad, useExisting: AgentLoads },
    AgentMonitor,
    { provide: AgentHealth, useExisting: AgentMonitor },
    AgentProber,
    AgentMetrics,
    EndpointMemory,
    CardReader,
    KeySets,
    CardVerifier,
    CardTrust,
    AgentIntake,
    AgentRegistry,
    AgentQuirks,
    AgentProbe,
    UnreadAgents,
    AgentsService,
    DeclaredAgents,
  ],
  exports: [
    AgentStore,
    AgentClient,
    AgentHealth,
    AgentLoad,
    AgentQuirks,
    AgentRegistry,
    AgentsService,
  ],
})
export class AgentsModule {}
