/** How much of a limit is used, and whether that is much: as the hub says. */
export function Meter({
  label,
  state,
  used,
  limit,
}: {
  readonly label: string;
  readonly state: string;
  readonly used: number;
  readonly limit: number;
}) {
  return (
    <meter
      className={`meter meter-${state}`}
      aria-label={label}
      min={0}
      max={limit}
      value={Math.min(used, limit)}
    />
  );
}
