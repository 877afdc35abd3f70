import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule } from '../auth/index.js';
import { RoutesController } from './routes.controller.js';
import { RoutingService } from './routing.service.js';

@Module({
  imports: [AgentsModule, AuthModule],
  controllers: [RoutesController],
  providers: [RoutingService],
  exports: [RoutingService],
})
export class RoutingModule {}
