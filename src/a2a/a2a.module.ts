import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule } from '../auth/index.js';
import { PushModule } from '../push/index.js';
import { RoutingModule } from '../routing/index.js';
import { SigningModule } from '../signing/index.js';
import { TasksModule } from '../tasks/index.js';
import { Admission } from './admission.js';
import { AgentCallbackDoor } from './callbacks/agent-callback.door.js';
import { CardSigner } from './cards/card-signer.js';
import { CardDoor } from './cards/card.door.js';
import { CardService } from './cards/card.service.js';
import { GrpcCalls } from './grpc/grpc-calls.js';
import { GrpcObserver } from './grpc/grpc-observer.js';
import { GrpcDoor } from './grpc/grpc.door.js';
import { GrpcStreams } from './grpc/grpc-streams.js';
import { V0GrpcService } from './grpc/v0-service.js';
import { V1GrpcService } from './grpc/v1-service.js';
import { HubRequestHandler } from './hub-request-handler.js';
import { AdminAnswers } from './http/admin-answers.js';
import { AdminBodies } from './http/admin-bodies.js';
import { HttpDoors } from './http/http-doors.js';
import { AnswerBudget, answerRules } from './intake/answer-budget.js';
import { BodyBudget } from './intake/body-budget.js';
import { Intake } from './intake/intake.js';
import { OpenCalls } from './intake/open-calls.js';
import { Turns } from './intake/turns.js';
import { Uploads } from './intake/uploads.js';
import { JsonRpcDoor } from './json-rpc/json-rpc.door.js';
import { RpcDispatcher } from './json-rpc/rpc-dispatcher.js';
import { V0Dialect } from './json-rpc/v0-dialect.js';
import { V1Dialect } from './json-rpc/v1-dialect.js';
import { RateLimit } from './rate-limit.js';
import { V0RestDoor } from './rest/v0-rest.door.js';
import { V1RestDoor } from './rest/v1-rest.door.js';
import { EventStreams } from './sse/event-streams.js';

/** The doors clients come in by. */
@Module({
  imports: [AgentsModule, AuthModule, PushModule, RoutingModule, SigningModule, TasksModule],
  providers: [
    RateLimit,
    Admission,
    BodyBudget,
    { provide: AnswerBudget, useFactory: () => new AnswerBudget(answerRules()) },
    OpenCalls,
    Turns,
    Uploads,
    Intake,
    HubRequestHandler,
    EventStreams,
    AdminAnswers,
    AdminBodies,
    HttpDoors,
    V1Dialect,
    V0Dialect,
    RpcDispatcher,
    JsonRpcDoor,
    V1RestDoor,
    V0RestDoor,
    V1GrpcService,
    V0GrpcService,
    GrpcStreams,
    GrpcCalls,
    GrpcObserver,
    GrpcDoor,
    CardSigner,
    CardService,
    CardDoor,
    AgentCallbackDoor,
  ],
})
export class A2aModule {}
