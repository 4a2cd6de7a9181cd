/**
 * HTTP over TLS: with a certificate that the daemon creates, and with the operator's own. Clients without the
 * right authority do not connect, and clients that speak plain HTTP get nothing and do no harm.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startExitCode } from '../../src/cli/exit-code.ts';
import { makeCertificate } from '../../src/http/certificate.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { ask } from './http-client.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());
const home = (name: string): string => join(directory.path, name);
const GRAPH = ['--graph', 'synthetic:40', '--seed', '7', '--http', '127.0.0.1:0'];

/** The code of the error with which a request ends. */
const failureOf = (url: string, ca?: string): Promise<string> =>
  ask(url, { method: 'GET', ...(ca !== undefined && { ca }) }).then(
    ({ status }) => `answered ${status}`,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );

describe('a certificate that the daemon creates', () => {
  let daemon: DaemonHere;
  let ca: string;
  const log: string[] = [];
  const start = () => DaemonHere.start(home('made'), [...GRAPH, '--http-tls', 'on'], log);
  beforeAll(async () => {
    daemon = await start();
    ca = readFileSync(join(home('made'), 'http-certificates/ca.pem'), 'utf8');
  });
  afterAll(() => daemon?.stop());

  it('is trusted by clients that have its authority, under the names of this machine', async () => {
    const { rune } = await daemon.result('createrune', { restrictions: 'readonly' });
    expect(daemon.httpUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    for (const url of [daemon.httpUrl, daemon.httpUrl.replace('127.0.0.1', 'localhost')]) {
      const { status, json } = await ask(`${url}/v1/getinfo`, { ca, headers: { Rune: rune } });
      expect([status, json]).toEqual([201, await daemon.result('getinfo')]);
    }
  });

  it('a client that closes its side right after its request gets its answer', async () => {
    const { hostname, port } = new URL(daemon.httpUrl);
    const text = await new Promise<string>((resolve, reject) => {
      const plain = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      const socket = connectTls({ socket: plain, host: hostname, ca });
      let read = '';
      socket.on('data', (chunk) => {
        read += chunk;
      });
      socket.on('end', () => resolve(read));
      socket.on('error', reject);
      socket.end('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    });
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is trusted by no other client', async () => {
    expect(await failureOf(`${daemon.httpUrl}/healthz`)).toMatch(/^(SELF_SIGNED_CERT|UNABLE_TO_)/);
    const { ca: another } = await makeCertificate(['127.0.0.1']);
    expect(await failureOf(`${daemon.httpUrl}/healthz`, another)).toMatch(/CERT|UNABLE_TO_/);
  });

  it('has a key that only its owner can read, and stays the same after a restart', async () => {
    const file = (name: string) => join(home('made'), 'http-certificates', name);
    expect(statSync(file('server-key.pem')).mode & 0o777).toBe(0o600);
    const before = new X509Certificate(readFileSync(file('server.pem'))).fingerprint256;
    await daemon.stop();
    daemon = await start();
    const socket = connectTls({ host: '127.0.0.1', port: Number(new URL(daemon.httpUrl).port), ca });
    const { fingerprint256 } = await new Promise<X509Certificate>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('secureConnect', () => resolve(socket.getPeerX509Certificate()!));
    });
    socket.destroy();
    expect(fingerprint256).toBe(before);
  });

  it('does not answer plain HTTP on that port, and continues', async () => {
    const { hostname: host, port } = new URL(daemon.httpUrl);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect({ host, port: Number(port) }, () => {
        socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      });
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
    });
    expect(answer).not.toContain('HTTP/1.1 200');
    expect(answer).not.toContain('ok\n');
    expect(await failureOf(`${daemon.httpUrl}/healthz`, ca)).toBe('answered 200');
  });

  it('is not used below TLS 1.2', async () => {
    const port = Number(new URL(daemon.httpUrl).port);
    const ended = await new Promise<string>((resolve) => {
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
      const socket = connectTls({ host: '127.0.0.1', port, ca, ...old }, () => {
        socket.destroy();
        resolve('connected');
      });
      socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'));
    });
    expect(ended).not.toBe('connected');
  });
});

/** A self-signed certificate with an RSA key of 512 bits, which TLS refuses. */
const WEAK_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfzCCASmgAwIBAgIUKP7sYO3arJyCOO5YT17vYLTFtTMwDQYJKoZIhvcNAQEL
BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyODEwMzkwMloXDTI2MTEy
OTEwMzkwMlowFDESMBAGA1UEAwwJbG9jYWxob3N0MFwwDQYJKoZIhvcNAQEBBQAD
SwAwSAJBALsn00CbN33xrvqyUtFmueh4pcpfa6GGTwOrIgqpQeX4hQurOlVuspEt
Ofa9pNt7DVuG6aJkALoCx6l/LNU73gkCAwEAAaNTMFEwHQYDVR0OBBYEFLjlDMEJ
tnvuKAq5GejAGvaVUxscMB8GA1UdIwQYMBaAFLjlDMEJtnvuKAq5GejAGvaVUxsc
MA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADQQCp6R0vMuQ0PBkXU7fV
hGiX8nW+EUK031tnKxqsE+2vB7JPBABb7oHtXDwPc/irTDC2NUM37HiB+HkVJMib
e7u3
-----END CERTIFICATE-----
`;
const WEAK_KEY = `-----BEGIN PRIVATE KEY-----
MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEAuyfTQJs3ffGu+rJS
0Wa56Hilyl9roYZPA6siCqlB5fiFC6s6VW6ykS059r2k23sNW4bpomQAugLHqX8s
1TveCQIDAQABAkBhngEi9pK4H0I8QpzN2f3n0l3vM1wJUOuPp0hHNUdI8jRXUG9a
WCNe8Nlg1aiIxGQSwvN/G3cyl1QvXD/K108NAiEA9esC8FHdLlo/Oaoz4dPBdk2B
sOZh8J2sLsv56SQvn88CIQDC1BU+Ok13EhL8yfkMEXYbYOrGkfEqTLbEMS2WniUC
pwIhAMnjTP9Uhdum9V727y8HdD0WNlGvYVpzZ0bn6FxRe9ObAiBvXrrR+pQDp8JQ
3MfPvT+NgQZUAmMgsf+cARy1R6uSawIgOOAuXbUU3qDhl7YTxNv0kZ3y4RXuusxf
Xyj1tkr0R9E=
-----END PRIVATE KEY-----
`;

describe('the operator’s own certificate', () => {
  const files = (name: string) => [home(`${name}.pem`), home(`${name}-key.pem`)] as const;
  let ca: string;
  beforeAll(async () => {
    const made = await makeCertificate(['shop.example', '127.0.0.1']);
    const other = await makeCertificate(['127.0.0.1']);
    ca = made.ca;
    for (const [name, { cert, key }] of [
      ['shop', made],
      ['other', other],
    ] as const) {
      const [certFile, keyFile] = files(name);
      writeFileSync(certFile, cert);
      writeFileSync(keyFile, key, { mode: 0o600 });
    }
    writeFileSync(home('garbage.pem'), 'no certificate');
  });

  const start = (cert: string, key: string, log: string[] = []) =>
    DaemonHere.start(
      home('own'),
      [...GRAPH, '--http-cert', cert, '--http-key', key, '--http-host', 'till.example'],
      log,
    );

  it('is used unchanged, and the log reports names that it does not cover', async () => {
    const log: string[] = [];
    const daemon = await start(...files('shop'), log);
    try {
      expect(await failureOf(`${daemon.httpUrl}/healthz`, ca)).toBe('answered 200');
      expect(log.join('')).toMatch(/shop\.pem is not for till\.example/);
    } finally {
      await daemon.stop();
    }
  });

  it('prevents the daemon from starting if a file is unusable, with the reason', async () => {
    const [cert, key] = files('shop');
    const refused = (a: string, b: string) => expect(start(a, b)).rejects.toThrow;
    await refused(cert, files('other')[1])(/other-key\.pem is not the key of .*shop\.pem/);
    await refused(home('garbage.pem'), key)(/garbage\.pem is not a certificate/);
    await refused(cert, home('garbage.pem'))(/garbage\.pem is not a private key/);
    await refused(home('nothing.pem'), key)(/nothing\.pem/);
    const [weak, weakKey] = files('weak');
    writeFileSync(weak, WEAK_CERTIFICATE);
    writeFileSync(weakKey, WEAK_KEY);
    const error = await start(weak, weakKey).catch((reason: unknown) => reason);
    expect([error, startExitCode(error)]).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/weak\.pem cannot be used: .*key too small/),
      }),
      78,
    ]);
  });
});
