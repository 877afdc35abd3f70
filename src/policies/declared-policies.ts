import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FieldViolation } from '../common/hub-error.js';
import {
  AppConfig,
  ConfigChanges,
  type DeclaredEntry,
  declaredWrong,
  readDeclared,
} from '../config/index.js';
import { readAhead } from './cedar-text.js';
import { failingTests, faultsOfText } from './check-policy.js';
import type { Policy } from './domain/policy.js';
import { completed } from './policies.service.js';
import { WrittenPolicyDto } from './policy.dto.js';
import { PolicyRegistry, textsOf } from './policy-registry.js';
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
    const read = async (written: readonly DeclaredEntry[]): Promise<readonly Policy[]> => {
      const policies = await readDeclaredPolicies(written, usual);
      await readAhead(textsOf(policies));
      return policies;
    };
    this.registry.declare(await read(this.config.policies.declared));
    this.changes.subscribe(async ({ policies }) => {
      const declared = await read(policies.declared);
      return () => this.registry.declare(declared);
    });
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
    (dto, before: readonly Policy[]) => {
      const faults: FieldViolation[] = faultsOfText(dto.text);
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
  const failing = policies.flatMap((policy, index) =>
    failingTests(policy, deciding, usual).map((fault) => ({
      ...fault,
      field: `${KEY}[${index}].${fault.field}`,
    })),
  );
  if (failing.length > 0) throw declaredWrong(failing);
  return policies;
}
