import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule } from '../auth/index.js';
import { KnownAgents, PoliciesModule } from '../policies/index.js';
import { CompositePreview } from './composites/composite-preview.js';
import { CompositeRegistry } from './composites/composite-registry.js';
import { CompositeStore } from './composites/composite-store.js';
import { CompositesController } from './composites/composites.controller.js';
import { CompositesService } from './composites/composites.service.js';
import { DeclaredComposites } from './composites/declared-composites.service.js';
import { CompositeSource } from './composite-source.js';
import { COMPOSITE_AGENT_ID } from './domain/composite-skill.js';
import { SqlCompositeStore } from './persistence/sql-composite.store.js';
import { logOf } from '../common/module-logs.js';

@Module({
  imports: [AgentsModule, AuthModule, PoliciesModule],
  controllers: [CompositesController],
  providers: [
    logOf('routing'),
    { provide: CompositeStore, useClass: SqlCompositeStore },
    CompositeRegistry,
    { provide: CompositeSource, useExisting: CompositeRegistry },
    CompositesService,
    CompositePreview,
    DeclaredComposites,
  ],
  exports: [CompositeRegistry, CompositeSource],
})
export class CompositesModule {
  constructor(known: KnownAgents, registry: CompositeRegistry) {
    known.add((id) =>
      id === COMPOSITE_AGENT_ID
        ? {
            tags: [],
            skills: registry.composites(),
            closedTo: (organization, skillId) => registry.closedTo(organization, skillId),
          }
        : undefined,
    );
  }
}
