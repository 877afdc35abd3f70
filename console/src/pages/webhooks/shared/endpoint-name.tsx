/** `demo https://hooks.example:443` in its parts: the origin, and whose it is. */
export function partsOfEndpoint(endpoint: string): {
  readonly organization: string;
  readonly origin: string;
} {
  const at = endpoint.lastIndexOf(' ');
  return { organization: endpoint.slice(0, Math.max(at, 0)), origin: endpoint.slice(at + 1) };
}

export function EndpointName({
  origin,
  organization,
}: {
  readonly origin: string;
  readonly organization: string;
}) {
  return (
    <span className="webhooks-endpoint">
      <span>{origin}</span> <span className="faint">{organization}</span>
    </span>
  );
}
