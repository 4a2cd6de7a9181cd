/** Warnings about the dates of the HTTP server's certificate, at start. */
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { certificateFor } from '../../../src/cli/files/http-certificate.ts';
import { makeCertificate } from '../../../src/http/certificate.ts';
import { memoryLog, temporaryDirectory } from '../../rpc/support.ts';

const DAY_MS = 86_400_000;
const directory = temporaryDirectory();
afterAll(() => directory.remove());

// A certificate is valid from one hour before it is made, for ten years.
test.each([
  ['made now', 0, []],
  ['made ten years and ten days ago', -3663, ['expired on']],
  ['made ten days less than ten years ago', -3643, ['expires on']],
  ['made tomorrow', 1, ['is not valid before']],
])('a certificate that was %s', async (_, days, expected) => {
  const certFile = join(directory.path, 'server.pem');
  const keyFile = join(directory.path, 'server-key.pem');
  const { cert, key } = await makeCertificate(['localhost'], Date.now() + days * DAY_MS);
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const log = memoryLog();
  const options = { host: '127.0.0.1', hostNames: ['localhost'], certificate: { certFile, keyFile } };
  await certificateFor(options, directory.path, log);
  const warnings = log.lines.filter((line) => line.startsWith('unusual: '));
  expect(warnings.map((line) => line.replace(/^.*server\.pem (.*) [A-Z][a-z]{2} .*$/, '$1'))).toEqual(
    expected,
  );
});

test('the certificate of the server cannot sign other certificates', async () => {
  const { ca, cert } = await makeCertificate(['localhost']);
  expect([ca, cert].map((pem) => new X509Certificate(pem).ca)).toEqual([true, false]);
});
