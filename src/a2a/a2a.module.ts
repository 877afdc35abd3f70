import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule } from '../auth/index.js';
import { LimitsModule } from '../limits/index.js';
import { PushModule } from '../push/index.js';
import { RoutingModule } from '../routing/index.js';
import { SigningModule } from '../signing/index.js';
import { TasksModule } from '../tasks/index.js';
import { CallAdmission } from './call-admission.js';
import { AgentCallbackEndpoint } from './callbacks/agent-callback.endpoint.js';
import { ConsentEndpoint } from './consents/consent.endpoint.js';
import { CardSigner } from './cards/card-signer.js';
import { CardEndpoints } from './cards/card.endpoints.js';
import { CardService } from './cards/card.service.js';
import { GrpcCalls } from './grpc/grpc-calls.js';
import { GrpcObserver } from './grpc/grpc-observer.js';
import { GrpcBinding } from './grpc/grpc.binding.js';
import { GrpcStreams } from './grpc/grpc-streams.js';
import { V0GrpcService } from './grpc/v0-service.js';
import { V1GrpcService } from './grpc/v1-service.js';
import { HubRequestHandler } from './hub-request-handler.js';
import { HttpBindings } from './http/http-bindings.js';
import { AnswerBudget, answerRules } from './limits/answer-budget.js';
import { RequestBodyBudget } from './limits/request-body-budget.js';
import { RequestCapacity } from './limits/request-capacity.js';
import { OpenCalls } from './limits/open-calls.js';
import { Turns } from './limits/turns.js';
import { Uploads } from './limits/uploads.js';
import { JsonRpcBinding } from './json-rpc/json-rpc.binding.js';
import { RpcDispatcher } from './json-rpc/rpc-dispatcher.js';
import { V0Dialect } from './json-rpc/v0-dialect.js';
import { V1Dialect } from './json-rpc/v1-dialect.js';
import { RateLimit } from './rate-limit.js';
import { V0RestBinding } from './rest/v0-rest.binding.js';
import { V1RestBinding } from './rest/v1-rest.binding.js';
import { EventStreams } from './sse/event-streams.js';
import { PoliciesModule } from '../policies/index.js';
import { logOf } from '../common/module-logs.js';

/** The protocol bindings that clients call. */
@Module({
  imports: [
    AgentsModule,
    AuthModule,
    LimitsModule,
    PoliciesModule,
    PushModule,
    RoutingModule,
    SigningModule,
    TasksModule,
  ],
  providers: [
    logOf('a2a'),
    RateLimit,
    CallAdmission,
    RequestBodyBudget,
    { provide: AnswerBudget, useFactory: () => new AnswerBudget(answerRules()) },
    OpenCalls,
    Turns,
    Uploads,
    RequestCapacity,
    HubRequestHandler,
    EventStreams,
    HttpBindings,
    V1Dialect,
    V0Dialect,
    RpcDispatcher,
    JsonRpcBinding,
    V1RestBinding,
    V0RestBinding,
    V1GrpcService,
    V0GrpcService,
    GrpcStreams,
    GrpcCalls,
    GrpcObserver,
    GrpcBinding,
    CardSigner,
    CardService,
    CardEndpoints,
    AgentCallbackEndpoint,
    ConsentEndpoint,
  ],
  exports: [CallAdmission, RequestCapacity],
})
export class A2aModule {}
