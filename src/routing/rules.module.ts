import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/index.js';
import { AuthModule } from '../auth/index.js';
import { CompositesModule } from './composites.module.js';
import { RuleNames, RuleSource } from './rule-source.js';
import { SqlRuleStore } from './persistence/sql-rule.store.js';
import { DeclaredRules } from './rules/declared-rules.service.js';
import { RulePreview } from './rules/rule-preview.js';
import { RuleRegistry } from './rules/rule-registry.js';
import { RuleStore } from './rules/rule-store.js';
import { RuleTargets } from './rules/rule-targets.js';
import { RuleDryRuns } from './rules/rule-dry-runs.js';
import { RulesController } from './rules/rules.controller.js';
import { RulesService } from './rules/rules.service.js';
import { logOf } from '../common/module-logs.js';

@Module({
  imports: [AgentsModule, AuthModule, CompositesModule],
  controllers: [RulesController],
  providers: [
    logOf('routing'),
    { provide: RuleStore, useClass: SqlRuleStore },
    RuleRegistry,
    { provide: RuleSource, useExisting: RuleRegistry },
    { provide: RuleNames, useExisting: RuleRegistry },
    RuleTargets,
    RulesService,
    RulePreview,
    RuleDryRuns,
    DeclaredRules,
  ],
  exports: [RuleNames, RuleSource, RuleDryRuns],
})
export class RulesModule {}
