/** Parses hosts with an optional port. */

/** Host and port of `HOST`, `HOST:PORT` or `[IPV6]:PORT`. Undefined when the text is malformed. */
export function hostAndPort(
  text: string,
  defaultPort: number,
): { readonly host: string; readonly port: number } | undefined {
  if (!URL.canParse(`http://${text}/`)) return undefined;
  const { hostname } = new URL(`http://${text}/`);
  // `URL` drops a port that is the default of the scheme, so the port is read from the text.
  const port = /:(\d+)$/.exec(text)?.[1];
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === undefined ? defaultPort : Number(port),
  };
}
