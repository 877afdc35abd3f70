/** How far a job is that does the same with many. */
export function Progress({
  label,
  done,
  of,
  said,
}: {
  readonly label: string;
  readonly done: number;
  readonly of: number;
  /** What has been done with them: `Sent again`. */
  readonly said: string;
}) {
  return (
    <div className="progress">
      <progress max={of} value={done} aria-label={label} />
      <span role="status">
        {said} {done.toLocaleString('en')} of {of.toLocaleString('en')}
      </span>
    </div>
  );
}
