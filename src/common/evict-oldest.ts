/** Removes the entry that is in a map or set for longest, where it holds `most` entries already. */
export function evictOldest<K>(
  entries: Pick<Map<K, unknown> | Set<K>, 'size' | 'delete' | 'keys'>,
  most: number,
): void {
  const oldest = entries.keys().next();
  if (entries.size >= most && !oldest.done) entries.delete(oldest.value);
}
