/**
 * The certificate of the HTTP server: the files that the options name, or a certificate in the data directory, which is
 * created if it is missing. To get a new certificate, stop the node, remove the folder and start the node again.
 */
import { createPrivateKey, randomBytes, sign, verify, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { HttpServerError } from '../../http/http-server.ts';
import type { Log } from '../../rpc/log.ts';
import type { HttpOptions } from '../options/http-options.ts';

/** Name of the folder in the data directory for a certificate that we created. */
export const CERTIFICATE_FOLDER = 'http-certificates';
const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];
/** Addresses that mean all addresses of this machine. */
const ANY = ['0.0.0.0', '::'];
const DAY_MS = 86_400_000;
const WARN_DAYS = 30;

/** A certificate chain and its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The certificate or its key cannot be used. */
export class CertificateError extends HttpServerError {}

type CertificateOptions = Pick<HttpOptions, 'host' | 'hostNames' | 'certificate'>;

/** Reads or creates the certificate. @throws CertificateError when a file cannot be used */
export async function certificateFor(
  options: CertificateOptions,
  dataDirectory: string,
  log: Log,
): Promise<Certificate> {
  const folder = join(dataDirectory, CERTIFICATE_FOLDER);
  const { certFile = join(folder, 'server.pem'), keyFile = join(folder, 'server-key.pem') } =
    options.certificate ?? {};
  const isMadeHere = options.certificate === undefined;
  try {
    if (isMadeHere && !isThere(certFile)) await make(folder, namesFor(options));
    const certificate = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    requireReadable(certificate, certFile, keyFile);
    if (!isKeyOf(certificate)) throw new Error(`${keyFile} is not the key of ${certFile}`);
    requireAccepted(certificate, certFile);
    if (isMadeHere) requireIssued(certificate.cert, certFile, join(folder, 'ca.pem'));
    warn(certificate, certFile, isMadeHere ? namesFor(options) : options.hostNames, log);
    return certificate;
  } catch (error) {
    throw new CertificateError(`the certificate for --http: ${(error as Error).message}`);
  }
}

/** @throws Error with the name of the file that is not in PEM, or is encrypted */
function requireReadable({ cert, key }: Certificate, certFile: string, keyFile: string): void {
  const reads = [
    [certFile, 'a certificate', () => new X509Certificate(cert)],
    [keyFile, 'a private key without a passphrase', () => createPrivateKey(key)],
  ] as const;
  for (const [file, what, read] of reads) {
    try {
      read();
    } catch (error) {
      throw new Error(`${file} is not ${what} in PEM: ${(error as Error).message}`);
    }
  }
}

/** @throws Error when TLS refuses the certificate, for example because its key is too short */
function requireAccepted(certificate: Certificate, certFile: string): void {
  try {
    createSecureContext(certificate);
  } catch (error) {
    throw new Error(`${certFile} cannot be used: ${(error as Error).message}`);
  }
}

function isKeyOf({ cert, key }: Certificate): boolean {
  const { publicKey } = new X509Certificate(cert);
  const privateKey = createPrivateKey(key);
  const probe = randomBytes(32);
  return verify('sha256', probe, publicKey, sign('sha256', probe, privateKey));
}

/**
 * Checks the signature of a certificate that we created.
 * @throws Error when the certificate was not signed by its authority, or one of the two files is damaged
 */
function requireIssued(cert: string, certFile: string, authorityFile: string): void {
  const authority = new X509Certificate(readFileSync(authorityFile, 'utf8'));
  const isSound =
    authority.verify(authority.publicKey) && new X509Certificate(cert).verify(authority.publicKey);
  if (!isSound) throw new Error(`${certFile} is not signed by ${authorityFile}, or one of them is damaged`);
}

function namesFor({ host, hostNames }: CertificateOptions): string[] {
  return [...new Set([...LOCAL_NAMES, ...(ANY.includes(host) ? [] : [host]), ...hostNames])];
}

function isThere(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Makes a certificate in a new folder. The folder has a temporary name first, so that it is either complete or absent.
 */
async function make(folder: string, names: readonly string[]): Promise<void> {
  // The certificate library takes long to load, and only this function needs it.
  const { makeCertificate } = await import('../../http/certificate.ts');
  const { ca, cert, key } = await makeCertificate(names);
  const unfinished = `${folder}.${process.pid}.new`;
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(join(unfinished, 'ca.pem'), ca, { mode: 0o644 });
  writeFileSync(join(unfinished, 'server.pem'), cert, { mode: 0o644 });
  writeFileSync(join(unfinished, 'server-key.pem'), key, { mode: 0o600 });
  renameSync(unfinished, folder);
}

/** Warns about a certificate that clients refuse or will soon refuse, because of its dates or its names. */
function warn({ cert }: Certificate, file: string, names: readonly string[], log: Log): void {
  const certificate = new X509Certificate(cert);
  const { validFrom, validTo } = certificate;
  const left = Date.parse(validTo) - Date.now();
  const expires = left < 0 ? 'expired' : 'expires';
  if (left < WARN_DAYS * DAY_MS) log.unusual(`the certificate ${file} ${expires} on ${validTo}`);
  if (Date.parse(validFrom) > Date.now())
    log.unusual(`the certificate ${file} is not valid before ${validFrom}`);
  const missing = names.filter((name) =>
    isIP(name) === 0 ? certificate.checkHost(name) === undefined : certificate.checkIP(name) === undefined,
  );
  if (missing.length > 0) log.unusual(`the certificate ${file} is not for ${missing.join(', ')}`);
}
