import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule } from '../auth/index.js';
import { CompositesModule } from './composites.module.js';
import { ExternalRouter } from './external-router.js';
import { RoutesController } from './routes.controller.js';
import { RoutingService } from './routing.service.js';
import { RulesModule } from './rules.module.js';
import { TextRouter } from './text-router.js';
import { logOf } from '../common/module-logs.js';

@Module({
  imports: [AgentsModule, AuthModule, CompositesModule, RulesModule],
  controllers: [RoutesController],
  providers: [logOf('routing'), ExternalRouter, RoutingService, TextRouter],
  exports: [RoutingService, CompositesModule, RulesModule],
})
export class RoutingModule {}
