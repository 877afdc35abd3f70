import type { AuditedResource } from '../../common/audited-resources.js';
import type { ReachedLimit } from '../../common/hub-error.js';
import type { PrincipalForm } from '../../common/principal-digest.js';
import type { AuditDetails, AuditEntry } from '../audit-entry.js';
import { widerNetworkOf } from '../../common/network-of.js';

/** What entries do not tell. */
export interface RedactionRules {
  readonly address: 'keep' | 'network' | 'omit';
  readonly principals: PrincipalForm;
  readonly resourceIds: readonly AuditedResource[];
}

/** An entry as the rules allow it; `principal` makes of an id what may be told of it. */
export function redactedEntry(
  entry: AuditEntry,
  { address, resourceIds }: RedactionRules,
  principal: (id: string) => string,
): AuditEntry {
  const { actor, resource, details } = entry;
  const isLeftOut = (type: string): boolean => resourceIds.some((each) => each === type);
  const idOf = (type: string, id: string): string | null => {
    if (isLeftOut(type)) return null;
    return type === 'principals' ? principal(id) : id;
  };
  const { address: from, delegations, limit, made, ...kept } = details;
  const shownFrom = from === undefined ? null : addressAs(address, from);
  const shownMade = made === undefined || resource === null ? null : idOf(resource.type, made);
  const redacted: AuditDetails = {
    ...kept,
    ...(shownMade !== null && { made: shownMade }),
    ...(shownFrom !== null && { address: shownFrom }),
    ...(limit !== undefined && { limit: limitAs(limit, !isLeftOut('agents'), principal) }),
    ...(delegations !== undefined && {
      delegations: isLeftOut('agents')
        ? delegations.map((each) => ({ ...each, agent: null }))
        : delegations,
    }),
  };
  return {
    ...entry,
    actor: {
      ...actor,
      principal: actor.principal === null ? null : principal(actor.principal),
      onBehalfOf: actor.onBehalfOf === null ? null : principal(actor.onBehalfOf),
    },
    resource:
      resource?.id == null ? resource : { ...resource, id: idOf(resource.type, resource.id) },
    details: redacted,
  };
}

/** Without agents no skill, either: it names its agent. */
function limitAs(
  { principal, agent, skill, ...kept }: ReachedLimit,
  hasAgents: boolean,
  formOf: (id: string) => string,
): ReachedLimit {
  return {
    ...kept,
    ...(principal !== undefined && { principal: formOf(principal) }),
    ...(hasAgents && agent !== undefined && { agent }),
    ...(hasAgents && skill !== undefined && { skill }),
  };
}

function addressAs(form: RedactionRules['address'], address: string): string | null {
  if (form === 'omit') return null;
  return form === 'network' ? widerNetworkOf(address) : address;
}
