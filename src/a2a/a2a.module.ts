import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule } from '../auth/index.js';
import { PushModule } from '../push/index.js';
import { TasksModule } from '../tasks/index.js';
import { CardDoor } from './cards/card.door.js';
import { CardService } from './cards/card.service.js';
import { HubRequestHandler } from './hub-request-handler.js';
import { JsonRpcDoor } from './json-rpc/json-rpc.door.js';
import { RpcDispatcher } from './json-rpc/rpc-dispatcher.js';
import { V0Dialect } from './json-rpc/v0-dialect.js';
import { V1Dialect } from './json-rpc/v1-dialect.js';
import { EventStreams } from './sse/event-streams.js';

/** The doors clients come in by. */
@Module({
  imports: [AgentsModule, AuthModule, PushModule, TasksModule],
  providers: [
    HubRequestHandler,
    EventStreams,
    V1Dialect,
    V0Dialect,
    RpcDispatcher,
    JsonRpcDoor,
    CardService,
    CardDoor,
  ],
})
export class A2aModule {}
