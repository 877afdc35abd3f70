import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { AgentClient } from './agent-client.js';
import { AgentIntake } from './agent-intake.js';
import { AgentRegistry } from './agent-registry.js';
import { AgentStore } from './agent-store.js';
import { AgentsController } from './agents.controller.js';
import { AgentsService } from './agents.service.js';
import { CardReader } from './card/card-reader.js';
import { CardTrust } from './card/card-trust.js';
import { CardVerifier } from './card/card-verifier.js';
import { KeySets } from './card/key-sets.js';
import { EndpointMemory } from './client/endpoint-memory.js';
import { SdkAgentClient } from './client/sdk-agent.client.js';
import { DeclaredAgents } from './declared-agents.service.js';
import { TypeormAgentStore } from './persistence/typeorm-agent.store.js';

@Module({
  imports: [AuthModule],
  controllers: [AgentsController],
  providers: [
    { provide: AgentStore, useClass: TypeormAgentStore },
    { provide: AgentClient, useClass: SdkAgentClient },
    EndpointMemory,
    CardReader,
    KeySets,
    CardVerifier,
    CardTrust,
    AgentIntake,
    AgentRegistry,
    AgentsService,
    DeclaredAgents,
  ],
  exports: [AgentStore, AgentClient, AgentRegistry],
})
export class AgentsModule {}
