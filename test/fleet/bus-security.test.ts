/** Encrypted connections to a real NATS server, and the ways in which clients authenticate. */
import { webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// The certificate library needs this import first.
import 'reflect-metadata';
import { nkeys } from '@nats-io/transport-node';
import { X509CertificateGenerator } from '@peculiar/x509';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectBus } from '../../src/fleet/bus.ts';
import { BusError } from '../../src/fleet/bus-error.ts';
import { type MadeCertificate, makeCertificate } from '../../src/http/certificate.ts';
import { describeNeeding } from '../needs.ts';
import { type NatsServer, natsServerPath, startNatsServer } from './nats-server.ts';
import { credsFile, publicKey, seedOf, serverOfOperator } from './nats-tokens.ts';

/** A self-signed client certificate, in PEM. */
async function clientCertificate(): Promise<Pick<MadeCertificate, 'cert' | 'key'>> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=client', keys, signingAlgorithm: algorithm, serialNumber: '01' },
    ...{ notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 3_600_000) },
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
  };
}

describeNeeding('nats', natsServerPath !== undefined, 'a protected bus', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-bus-'));
  const at = (name: string): string => join(directory, name);
  const closers: (() => unknown)[] = [];
  let made: MadeCertificate;

  beforeAll(async () => {
    made = await makeCertificate(['localhost', '127.0.0.1']);
    for (const [name, text] of Object.entries(made)) writeFileSync(at(name), text);
    const [another, ofClient] = [await makeCertificate(['localhost']), await makeCertificate(['elsewhere'])];
    writeFileSync(at('another'), another.ca);
    writeFileSync(at('elsewhere.cert'), ofClient.cert);
    writeFileSync(at('elsewhere.key'), ofClient.key);
    writeFileSync(at('elsewhere.ca'), ofClient.ca);
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  /** @returns the port of a server started with these lines in its configuration */
  async function server(config: string, port = -1): Promise<{ port: string; server: NatsServer }> {
    writeFileSync(at('config'), config);
    const started = await startNatsServer(port, '127.0.0.1', '-c', at('config'));
    closers.push(() => started.stop());
    return { port: new URL(started.url).port, server: started };
  }

  /** Whether a message makes the round trip, or the reason why there is no connection. */
  async function reached(url: string): Promise<unknown> {
    try {
      const bus = await connectBus(url, 'test');
      await bus.flush();
      await bus.close();
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(BusError);
      const { message, mayPass } = error as BusError;
      expect(message).not.toContain('secret');
      return `${mayPass ? 'may pass' : 'lasts'}: ${message.replace(/^.*does not answer: /, '')}`;
    }
  }

  const tls = (more = '', certificate = 'cert', key = 'key'): string =>
    `tls { cert_file: "${at(certificate)}", key_file: "${at(key)}", timeout: 5 ${more} }`;

  test('is encrypted with tls://, and the server needs a certificate for its name from a trusted authority', async () => {
    const { port } = await server(tls());
    const { port: elsewhere } = await server(tls('', 'elsewhere.cert', 'elsewhere.key'));
    const { port: plain } = await server('');
    const results: Record<string, unknown> = {};
    for (const [name, url] of Object.entries({
      'our authority': `tls://localhost:${port}?ca=${at('ca')}`,
      'its address': `tls://127.0.0.1:${port}?ca=${at('ca')}`,
      'no authority': `tls://localhost:${port}`,
      'another authority': `tls://localhost:${port}?ca=${at('another')}`,
      'another name': `tls://localhost:${elsewhere}?ca=${at('elsewhere.ca')}`,
      'another address': `tls://127.0.0.1:${elsewhere}?ca=${at('elsewhere.ca')}`,
      'a server without encryption': `tls://user:secret@localhost:${plain}?ca=${at('ca')}`,
      'no file': `tls://localhost:${port}?ca=${at('missing')}`,
    })) {
      results[name] = await reached(url);
    }
    expect(results).toEqual({
      'our authority': true,
      'its address': true,
      'no authority': expect.stringMatching(/^lasts: .*certificate/),
      'another authority': expect.stringMatching(/^lasts: .*certificate/),
      'another name': expect.stringMatching(/^lasts: .*altnames/),
      'another address': expect.stringMatching(/^lasts: .*altnames|IP/),
      'a server without encryption': expect.stringMatching(/^lasts: .*does not support 'tls'/),
      'no file': expect.stringMatching(/^lasts: cannot read the file of --bus: ENOENT/),
    });
  });

  test('presents a client certificate if the server requires one', async () => {
    const client = await clientCertificate();
    writeFileSync(at('client.cert'), client.cert);
    writeFileSync(at('client.key'), client.key);
    const { port } = await server(tls(`, verify: true, ca_file: "${at('client.cert')}"`));
    const url = `tls://localhost:${port}?ca=${at('ca')}`;
    expect(await reached(`${url}&cert=${at('client.cert')}&key=${at('client.key')}`)).toBe(true);
    expect(await reached(url)).not.toBe(true);
    expect(await reached(`${url}&cert=${at('elsewhere.cert')}&key=${at('elsewhere.key')}`)).not.toBe(true);
  });

  test('reconnects with encryption when the server is back; an unreachable server in a list is skipped', async () => {
    const { port, server: first } = await server(tls());
    const bus = await connectBus(`tls://localhost:1,localhost:${port}?ca=${at('ca')}`, 'test');
    closers.push(() => bus.close());
    await first.stop();
    closers.splice(0, 1);
    await server(tls(), Number(port));
    await expect.poll(() => bus.flush().then(() => true), { timeout: 20_000 }).toBe(true);
  });

  test('authenticates clients by passwords, tokens and keys', async () => {
    const [ours, stranger] = [nkeys.createUser(), nkeys.createUser()];
    writeFileSync(at('seed'), `${seedOf(ours)}\n`);
    writeFileSync(at('stranger'), seedOf(stranger));
    writeFileSync(at('no-seed'), 'x');
    const users = `authorization { users = [ { nkey: ${publicKey(ours)} }, { user: u, password: "p:%" } ] }`;
    const { port } = await server(users);
    const { port: ofToken } = await server('authorization { token: t1 }');
    const results: Record<string, unknown> = {};
    for (const [name, url] of Object.entries({
      key: `nats://localhost:${port}?nkey=${at('seed')}`,
      'another key': `nats://localhost:${port}?nkey=${at('stranger')}`,
      'no key': `nats://localhost:${port}?nkey=${at('no-seed')}`,
      password: `nats://u:p%3A%25@localhost:${port}`,
      'wrong password': `nats://u:secret@localhost:${port}`,
      nothing: `nats://localhost:${port}`,
      token: `nats://t1@localhost:${ofToken}`,
    })) {
      results[name] = await reached(url);
    }
    const refused = expect.stringMatching(/^lasts: .*Authorization/i);
    expect(results).toEqual({
      key: true,
      'another key': refused,
      'no key': expect.stringMatching(/^lasts: the file .* does not contain the seed/),
      password: true,
      'wrong password': refused,
      nothing: refused,
      token: true,
    });
  });

  test('accepts only credentials of an account that the operator signed', async () => {
    const { config, account } = serverOfOperator();
    const { port } = await server(config);
    writeFileSync(at('good.creds'), credsFile(account));
    writeFileSync(at('bad.creds'), credsFile(nkeys.createAccount()));
    expect(await reached(`nats://localhost:${port}?creds=${at('good.creds')}`)).toBe(true);
    expect(await reached(`nats://localhost:${port}?creds=${at('bad.creds')}`)).toMatch(
      /^lasts: .*Authorization/i,
    );
    expect(await reached(`nats://localhost:${port}?creds=${at('ca')}`)).toMatch(
      /^lasts: the file .* does not contain NATS credentials/,
    );
  });
});
