/** Addresses of PostgreSQL databases: lists of hosts, and the meaning of each option. */
import { expect, test } from 'vitest';
import { parsePostgresAddress } from '../../src/store/postgres/address.ts';

test('an address has role, password, hosts, database and options', () => {
  expect(
    parsePostgresAddress(
      'postgres://r%40:p%2F@db1,[::1]:6000,db3:5433/d%20b?sslmode=verify-ca&sslrootcert=/etc/ca.pem',
    ),
  ).toEqual({
    hosts: [
      { host: 'db1', port: 5432 },
      { host: '::1', port: 6000 },
      { host: 'db3', port: 5433 },
    ],
    role: 'r@',
    password: 'p/',
    database: 'd b',
    sslMode: 'verify-ca',
    sslRootCert: '/etc/ca.pem',
    shown: 'postgres://r%40@db1,[::1]:6000,db3:5433/d%20b',
  });
});

test('a server on a different machine must prove its name, even if it is only one of several hosts', () => {
  const modeOf = (hosts: string) => parsePostgresAddress(`postgres://r@${hosts}/d`).sslMode;
  expect(modeOf('127.0.0.1,localhost:5433,[::1]')).toBe('disable');
  expect(modeOf('127.0.0.1,db2')).toBe('verify-full');
});

test.each([
  'postgres://r@/d',
  'postgres://r@h',
  'postgres://h/d',
  'postgres://r@h:99999/d',
  'postgres://r@h,,i/d',
  'postgres://r@h:x/d',
  'postgres://r@h/d?sslmode=prefer',
  'postgres://r@h/d?target=1',
  'postgres://%zz@h/d',
  `postgres://r@${'h,'.repeat(8)}h/d`,
  'mysql://r@h/d',
])('%s is refused, without showing a password', (address) => {
  const secret = address.replace('r@', 'r:unguessable@');
  expect(() => parsePostgresAddress(secret)).toThrowError(
    expect.objectContaining({ problem: 'unavailable', message: expect.not.stringContaining('unguessable') }),
  );
});
