import { Module } from '@nestjs/common';
import { AuthModule, Belongings } from '../auth/index.js';
import { DeclaredPolicies } from './declared-policies.js';
import { KnownAgents } from './known-agents.js';
import { PoliciesController } from './policies.controller.js';
import { PoliciesService } from './policies.service.js';
import { SqlPolicyStore } from './persistence/sql-policy.store.js';
import { SqlPolicyData } from './persistence/sql-policy-data.js';
import { PolicyData } from './policy-data.js';
import { PolicyDecisionPoint } from './policy-decision-point.js';
import { PolicyRegistry } from './policy-registry.js';
import { PolicyWarnings } from './policy-warnings.js';
import { PolicyStore } from './policy-store.js';
import { logOf } from '../common/module-logs.js';

@Module({
  imports: [AuthModule],
  controllers: [PoliciesController],
  providers: [
    logOf('policies'),
    { provide: PolicyStore, useClass: SqlPolicyStore },
    { provide: PolicyData, useClass: SqlPolicyData },
    KnownAgents,
    PolicyRegistry,
    { provide: PolicyDecisionPoint, useExisting: PolicyRegistry },
    PolicyWarnings,
    PoliciesService,
    DeclaredPolicies,
  ],
  exports: [KnownAgents, PolicyData, PolicyDecisionPoint],
})
export class PoliciesModule {
  constructor(belongings: Belongings) {
    belongings.add('organization', 'policies', 'SELECT id FROM policies WHERE organization = ?');
  }
}
