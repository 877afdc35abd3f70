/** Tags are compared without regard to case and outer spaces. */
export function tagKey(tag: string): string {
  return tag.trim().toLowerCase();
}

const keys = new WeakMap<readonly string[], ReadonlySet<string>>();

/** The keys of a list of tags, in its order. The list does not change: they are worked out once for it. */
export function tagKeysOf(tags: readonly string[]): ReadonlySet<string> {
  const known = keys.get(tags);
  if (known) return known;
  const made = new Set(tags.map(tagKey));
  keys.set(tags, made);
  return made;
}
