/**
 * Makes the certificate of the HTTP server: an authority of our own, which clients must trust, and a server certificate
 * that it signed (X.509, ECDSA over P-256). The authority's private key is discarded, so the authority can sign nothing
 * else.
 */
import type { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
// The certificate library needs this import before its own.
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A new certificate and key, all parts in PEM. */
export interface MadeCertificate {
  /** Certificate of the authority, for clients to trust. */
  readonly ca: string;
  /** The server's certificate, followed by that of the authority. */
  readonly cert: string;
  readonly key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const YEARS = 10;
const HOUR_MS = 3_600_000;

/** Makes a certificate for names and addresses, valid for ten years. */
export async function makeCertificate(
  names: readonly string[],
  nowMs = Date.now(),
): Promise<MadeCertificate> {
  const notAfter = new Date(nowMs);
  notAfter.setFullYear(notAfter.getFullYear() + YEARS);
  // Clients' clocks may be slightly behind.
  const validity = { notBefore: new Date(nowMs - HOUR_MS), notAfter, signingAlgorithm: ALGORITHM };
  const authority = await newKeys();
  const server = await newKeys();
  const subject = 'CN=Fulgurite authority';
  const ca = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: subject,
    keys: authority,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  });
  const cert = await X509CertificateGenerator.create({
    ...validity,
    subject: 'CN=Fulgurite',
    issuer: subject,
    publicKey: server.publicKey,
    signingKey: authority.privateKey,
    extensions: serverExtensions(names),
  });
  return {
    ca: `${ca.toString('pem')}\n`,
    cert: `${cert.toString('pem')}\n${ca.toString('pem')}\n`,
    key: await pemOf(server.privateKey),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function serverExtensions(names: readonly string[]): Extension[] {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(
      names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
    ),
  ];
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', key));
  const lines = bytes.toString('base64').match(/.{1,64}/g)!;
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
