import { isRecord } from '../../common/is-record.js';
import { tagKey } from '../../common/tag-key.js';
import type { PolicyCaller, PolicyQuestion, PolicyResource } from './policy.js';

const NONE: ReadonlySet<string> = new Set();

/**
 * What policies speak of by name. Whatever of a caller, agent or skill they do not name cannot matter to them, so that
 * questions that differ in nothing else have one answer.
 */
export class Mentions {
  /** The ids of entities by their type. */
  private readonly entities = new Map<string, Set<string>>();
  private readonly attributes = new Set<string>();
  /** What was asked for is mostly the same object again. */
  private readonly keys = new WeakMap<PolicyResource, string>();

  /** What any of them speaks of. */
  static of(all: readonly Mentions[]): Mentions {
    const together = new Mentions();
    for (const { entities, attributes } of all) {
      for (const [type, ids] of entities) for (const id of ids) together.addEntity(type, id);
      for (const name of attributes) together.attributes.add(name);
    }
    return together;
  }

  /** Adds what a statement names, in the JSON form of Cedar; all of them before the first key is asked for. */
  add(json: unknown): void {
    if (Array.isArray(json)) return json.forEach((each) => this.add(each));
    if (!isRecord(json)) return;
    const { type, id, attr } = json;
    if (typeof type === 'string' && typeof id === 'string') {
      this.addEntity(type, id);
    }
    if (typeof attr === 'string') this.attributes.add(attr);
    for (const value of Object.values(json)) this.add(value);
  }

  /** The ids of the entities of a type that they name. */
  idsOf(type: string): readonly string[] {
    return [...(this.entities.get(type) ?? NONE)];
  }

  /** Whether they ask for more than who the caller is: its groups, its scopes, how it signed in. */
  get readsSignIn(): boolean {
    return this.entities.has('Group') || this.entities.has('Scope') || this.attributes.size > 0;
  }

  /** The same question without the groups, scopes and tags that they do not name. */
  reduced({ caller, operation, resource }: PolicyQuestion): PolicyQuestion {
    return {
      caller: {
        ...caller,
        groups: this.named('Group', caller.groups),
        scopes: this.named('Scope', caller.scopes),
      },
      operation,
      resource: resource && {
        ...resource,
        agentTags: this.named('Tag', resource.agentTags.map(tagKey)),
        tags: this.named('Tag', resource.tags.map(tagKey)),
      },
    };
  }

  /** The same for callers of one organization whom the policies cannot tell apart. */
  keyOfCaller({ id, organization, groups, scopes, signIn, issuer }: PolicyCaller): string {
    return JSON.stringify([
      organization,
      this.named('Group', groups).sort(),
      this.named('Scope', scopes).sort(),
      this.attributes.has('signIn') ? signIn : null,
      this.attributes.has('issuer') ? issuer : null,
      this.named('Caller', [id]),
    ]);
  }

  /** The same for agents, or skills, that the policies cannot tell apart. No id or tag has a line break. */
  keyOfResource(resource: PolicyResource): string {
    let key = this.keys.get(resource);
    if (key === undefined) {
      key = this.keyMadeOf(resource);
      this.keys.set(resource, key);
    }
    return key;
  }

  private keyMadeOf({ agentId, agentTags, skillId, tags }: PolicyResource): string {
    const kind = skillId === null ? 'agent' : 'skill';
    const skill = this.named('Skill', skillId === null ? [] : [`${agentId}.${skillId}`]).join();
    const agent = this.named('Agent', [agentId]).join();
    const ofAgent = this.named('Tag', agentTags.map(tagKey)).sort().join('\n');
    const own = this.named('Tag', tags.map(tagKey)).sort().join('\n');
    return `${kind}\n${skill}\n${agent}\n${own}\n\n${ofAgent}`;
  }

  private addEntity(type: string, id: string): void {
    const ids = this.entities.get(type) ?? new Set<string>();
    this.entities.set(type, ids.add(id));
  }

  private named<T extends string>(type: string, ids: readonly T[]): T[] {
    const known = this.entities.get(type) ?? NONE;
    return ids.filter((id) => known.has(id));
  }
}
