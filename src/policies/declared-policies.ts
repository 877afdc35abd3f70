import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FieldViolation } from '../common/hub-error.js';
import {
  AppConfig,
  ConfigChanges,
  type DeclaredEntry,
  declaredWrong,
  readDeclared,
} from '../config/index.js';
import { failingTests, faultsOfText } from './check-policy.js';
import type { Policy } from './domain/policy.js';
import { completed } from './policies.service.js';
import { WrittenPolicyDto } from './policy.dto.js';
import { PolicyRegistry } from './policy-registry.js';
import type { PolicyDefault } from './policy-set.js';

/** The key of the configuration they stand under. */
const KEY = 'policies.declared';

/** Hands the policies that the configuration declares to the registry, at start and whenever its file changes. */
@Injectable()
export class DeclaredPolicies implements OnModuleInit {
  constructor(
    private readonly config: AppConfig,
    private readonly changes: ConfigChanges,
    private readonly registry: PolicyRegistry,
  ) {}

  async onModuleInit(): Promise<void> {
    const usual = this.config.policies.default;
    const read = async (written: readonly DeclaredEntry[]): Promise<() => void> =>
      this.registry.declared(await readDeclaredPolicies(written, usual));
    const declare = await read(this.config.policies.declared);
    declare();
    this.changes.subscribe(({ policies }) => read(policies.declared));
  }
}

/** The policies that the configuration declares; throws `ConfigError` with all that is wrong, failing tests among it. */
export async function readDeclaredPolicies(
  written: readonly DeclaredEntry[],
  usual: PolicyDefault,
): Promise<readonly Policy[]> {
  const policies = await readDeclared(
    KEY,
    written,
    WrittenPolicyDto,
    async (dto, before: readonly Policy[]) => {
      const faults = await faultsOfText(dto.text);
      if (before.some(({ id }) => id === dto.id)) {
        faults.push({ field: 'id', description: 'is the id of a policy before it' });
      }
      const definition = completed({ ...dto, organization: dto.organization ?? null });
      const entry: Policy = {
        ...definition,
        id: dto.id,
        version: 1,
        source: 'config',
        createdAt: null,
        updatedAt: null,
      };
      return { entry, faults };
    },
  );
  const deciding = (organization: string): readonly Policy[] =>
    policies.filter(
      (each) => each.enabled && (each.organization === null || each.organization === organization),
    );
  const failing: FieldViolation[] = [];
  for (const [index, policy] of policies.entries()) {
    if (!policy.enabled) continue;
    const faults = await failingTests(policy, deciding, usual);
    failing.push(
      ...faults.map((fault) => ({ ...fault, field: `${KEY}[${index}].${fault.field}` })),
    );
  }
  if (failing.length > 0) throw declaredWrong(failing);
  return policies;
}
