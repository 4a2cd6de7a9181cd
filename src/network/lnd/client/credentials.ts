/**
 * How to reach LND: its address, the certificate that we pin, and the macaroon with our permissions. Certificate and
 * macaroon come from files, or all three come from an `lndconnect` address in a file.
 *
 * The certificate is public, but anyone who reads the macaroon can spend. So a file with a macaroon must not be
 * readable by everyone on this machine.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { FulguriteError } from '../../../model/errors.ts';

/** Where LND listens, and where the certificate and the macaroon are. */
export type LndPlace =
  | { readonly address: string; readonly certPath: string; readonly macaroonPath: string }
  /** A file that contains an address `lndconnect://HOST:PORT?cert=…&macaroon=…`. */
  | { readonly connectPath: string };

/** Address, certificate and macaroon for a connection to LND. */
export interface LndCredentials {
  /** `host:port`. */
  readonly address: string;
  /** The certificate, PEM. */
  readonly cert: string;
  /** Lower-case hex. */
  readonly macaroon: string;
}

const MAX_FILE_BYTES = 1024 * 1024;

/** Reads the files. @throws FulguriteError nodeAway that names the file */
export function readCredentials(place: LndPlace): LndCredentials {
  if ('connectPath' in place) {
    return parseLndConnect(
      read(place.connectPath, '--lnd-connect').toString('utf8').trim(),
      place.connectPath,
    );
  }
  const cert = read(place.certPath, '--lnd-cert').toString('utf8');
  requireCertificate(cert, place.certPath);
  const macaroon = macaroonHex(read(place.macaroonPath, '--lnd-macaroon'), place.macaroonPath);
  return { address: place.address, cert, macaroon };
}

/**
 * The macaroon as hex. A file contains it as binary (version 2 starts with byte 2), or as hex, as some tools write it.
 */
function macaroonHex(bytes: Buffer, path: string): string {
  if (bytes[0] === 2) return bytes.toString('hex');
  const text = bytes.toString('latin1').trim();
  if (/^02(?:[0-9a-f]{2})+$/i.test(text)) return text.toLowerCase();
  throw unusable(`${path} contains no macaroon: bake one with \`fulgurite lnd-macaroon\``);
}

/**
 * @throws FulguriteError nodeAway when the text is not an `lndconnect` address. The error names `from`, never the text.
 */
export function parseLndConnect(text: string, from: string): LndCredentials {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const cert = url?.searchParams.get('cert');
  const macaroon = url?.searchParams.get('macaroon');
  if (url?.protocol !== 'lndconnect:' || url.host === '' || !cert || !macaroon) {
    throw unusable(`${from} contains no lndconnect://HOST:PORT?cert=…&macaroon=… address`);
  }
  const base64 = Buffer.from(cert, 'base64url').toString('base64');
  const pem = `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
  requireCertificate(pem, from);
  const address = url.port === '' ? `${url.host}:10009` : url.host;
  return { address, cert: pem, macaroon: macaroonHex(Buffer.from(macaroon, 'base64url'), from) };
}

function requireCertificate(pem: string, path: string): void {
  try {
    new X509Certificate(pem);
  } catch {
    throw unusable(`${path} contains no certificate: specify LND's tls.cert`);
  }
}

/** @param option the option of `start` that names the file */
function read(path: string, option: '--lnd-connect' | '--lnd-cert' | '--lnd-macaroon'): Buffer {
  try {
    const { mode, size } = statSync(path);
    if (option !== '--lnd-cert' && (mode & 0o007) !== 0) {
      const octal = (mode & 0o777).toString(8);
      throw unusable(
        `${path} is open to other users of this machine (mode ${octal}), and anyone who reads it can spend: chmod 600 it`,
      );
    }
    if (size > MAX_FILE_BYTES) throw unusable(`${path} is too large`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof FulguriteError) throw error;
    throw unusable(`cannot read ${path}: ${(error as Error).message}. Specify the file with ${option}`);
  }
}

const unusable = (message: string): FulguriteError => new FulguriteError('nodeAway', message);
