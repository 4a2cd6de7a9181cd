/** The HTTP options of `fulgurite start`. */

import { DEFAULT_HTTP_LIMITS, type HttpLimits } from '../../http/limits.ts';
import { isLoopback } from '../../model/loopback.ts';
import { UsageError } from '../client/client-arguments.ts';

/** How to serve HTTP, according to the options. */
export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Paths of the given certificate chain and key, in PEM. If undefined, TLS uses a certificate that we create. */
  readonly certificate: { readonly certFile: string; readonly keyFile: string } | undefined;
  /**
   * Names allowed in Host headers besides addresses, in lower case. A certificate that we create contains these names.
   */
  readonly hostNames: readonly string[];
  /** Origins whose scripts may call us, or `*`. */
  readonly corsOrigins: readonly string[];
  readonly limits: HttpLimits;
}

/** The default address of the simulated network's page. */
export const USUAL_HTTP = '127.0.0.1:3010';

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;

/** The options in the form of Node's `parseArgs`. */
export const HTTP_OPTIONS = {
  http: text,
  'no-http': { type: 'boolean' },
  'http-tls': text,
  'http-cert': text,
  'http-key': text,
  'http-host': texts,
  'http-cors': texts,
  'http-max-body': text,
  'http-max-connections': text,
  'http-max-per-address': text,
} as const;

/** The part of `fulgurite start --help` about these options. */
export const HTTP_USAGE = `  --http HOST:PORT        serve HTTP on this address: JSON-RPC, the REST paths of Core Lightning, events and the
                          web page. Commands and events need a rune; see the command createrune. HOST is an
                          address or localhost. Default: ${USUAL_HTTP} on the simulated network, otherwise
                          no HTTP
  --no-http               disable HTTP
  --http-tls MODE         on, off, or auto (default): on unless HOST is a loopback address and there is no
                          --http-cert
  --http-cert FILE, --http-key FILE  certificate chain and key in PEM. By default a certificate is created
                          in DIR/http-certificates; clients must trust the ca.pem there
  --http-host NAME        additional host name of the server, for requests and the certificate that we create (may
                          be repeated)
  --http-cors ORIGIN      allow scripts from this origin, such as https://wallet.example, or * for any origin
                          (may be repeated)
  --http-max-body N       maximum bytes of a request body (default ${DEFAULT_HTTP_LIMITS.maxBodyBytes})
  --http-max-connections N  maximum number of connections (default ${DEFAULT_HTTP_LIMITS.maxConnections})
  --http-max-per-address N  maximum number of connections per remote address, except this machine's
                          (default ${DEFAULT_HTTP_LIMITS.maxPerAddress})
`;

/** The values of these options. */
export type HttpValues = {
  readonly [K in keyof typeof HTTP_OPTIONS]?:
    | ((typeof HTTP_OPTIONS)[K] extends { type: 'boolean' }
        ? boolean
        : (typeof HTTP_OPTIONS)[K] extends { multiple: true }
          ? readonly string[]
          : string)
    | undefined;
};

const MODES = ['auto', 'on', 'off'] as const;
const ORIGIN = /^(?:\*|https?:\/\/[^/?#\s]+)$/;
const HOST_NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
const MAX_BODY = 256 * 1024 * 1024;
const MAX_CONNECTIONS = 65_536;

/** Parses a whole number within a range. Undefined when none was given. @throws UsageError */
export type ReadWhole = (
  option: string,
  given: string | undefined,
  minimum: number,
  maximum: number,
) => number | undefined;

/** How to serve HTTP if no HTTP option is given: plain HTTP, for this machine only. */
export const usualHttp = (): HttpOptions => httpOptionsOf({ http: USUAL_HTTP }, () => undefined)!;

/** How to serve HTTP. Undefined when it was not requested. @throws UsageError */
export function httpOptionsOf(values: HttpValues, whole: ReadWhole): HttpOptions | undefined {
  if (values['no-http'] === true) return undefined;
  if (values.http === undefined) {
    const stray = (Object.keys(HTTP_OPTIONS) as (keyof HttpValues)[]).find(
      (name) => name !== 'no-http' && values[name] !== undefined,
    );
    if (stray !== undefined) throw new UsageError(`--${stray} requires --http HOST:PORT`);
    return undefined;
  }
  const { host, port } = placeOf(values.http);
  const mode = MODES.find((one) => one === (values['http-tls'] ?? 'auto'));
  if (mode === undefined) throw new UsageError(`--http-tls must be one of ${MODES.join(', ')}`);
  const certificate = certificateOf(values);
  const isTls = mode === 'on' || (mode === 'auto' && (!isLoopback(host) || certificate !== undefined));
  if (certificate !== undefined && !isTls)
    throw new UsageError('give --http-cert or --http-tls off, not both');
  const corsOrigins = values['http-cors'] ?? [];
  const badOrigin = corsOrigins.find((origin) => !ORIGIN.test(origin));
  if (badOrigin !== undefined)
    throw new UsageError(`--http-cors must be * or have the form https://HOST, not ${badOrigin}`);
  const hostNames = (values['http-host'] ?? []).map((name) => name.toLowerCase());
  const badName = hostNames.find((name) => !HOST_NAME.test(name));
  if (badName !== undefined)
    throw new UsageError(`--http-host must be a name without a port, not ${badName}`);
  const { maxBodyBytes, maxConnections, maxPerAddress } = DEFAULT_HTTP_LIMITS;
  const limits: HttpLimits = {
    ...DEFAULT_HTTP_LIMITS,
    maxBodyBytes: whole('http-max-body', values['http-max-body'], 1, MAX_BODY) ?? maxBodyBytes,
    maxConnections:
      whole('http-max-connections', values['http-max-connections'], 1, MAX_CONNECTIONS) ?? maxConnections,
    maxPerAddress:
      whole('http-max-per-address', values['http-max-per-address'], 1, MAX_CONNECTIONS) ?? maxPerAddress,
  };
  return { host, port, isTls, certificate, hostNames, corsOrigins, limits };
}

/** Parses `HOST:PORT`, `[ADDRESS]:PORT`, or a port alone, which means this machine. @throws UsageError */
function placeOf(given: string): { host: string; port: number } {
  const [, bracketed, plain, digits] =
    /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):)?(\d{1,5})$/.exec(given) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new UsageError(`--http must be HOST:PORT, such as 127.0.0.1:3010, not ${given}`);
  }
  return { host: bracketed ?? plain ?? '127.0.0.1', port };
}

function certificateOf(values: HttpValues): HttpOptions['certificate'] {
  const { 'http-cert': certFile, 'http-key': keyFile } = values;
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new UsageError('give both --http-cert and --http-key');
  return { certFile, keyFile };
}
