/** Keys and tokens of NATS for tests, as its tool `nsc` makes them (docs.nats.io, "JWT"). */
import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** The public half of a key, as written in configurations. */
export const publicKey = (pair: KeyPair): string => pair.getPublicKey();

/** The secret half of a key, as stored in files. */
export const seedOf = (pair: KeyPair): string => new TextDecoder().decode(pair.getSeed());

/** The configuration of a server that trusts one operator, and the account that this operator signed. */
export function serverOfOperator(): { readonly config: string; readonly account: KeyPair } {
  const [operator, account] = [nkeys.createOperator(), nkeys.createAccount()];
  const unlimited = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true };
  const ofAccount = { type: 'account', limits: { ...unlimited, conn: -1, leaf: -1 } };
  const config = `
    operator: ${token(operator, operator, { type: 'operator' })}
    resolver: MEMORY
    resolver_preload { ${publicKey(account)}: ${token(operator, account, ofAccount)} }`;
  return { config, account };
}

/** A file of credentials for a new user of the account. */
export function credsFile(account: KeyPair): string {
  const user = nkeys.createUser();
  const claims = { type: 'user', pub: {}, sub: {}, subs: -1, data: -1, payload: -1 };
  return `-----BEGIN NATS USER JWT-----
${token(account, user, claims)}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seedOf(user)}
------END USER NKEY SEED------
`;
}

function token(issuer: KeyPair, subject: KeyPair, claims: object): string {
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const names = { iss: publicKey(issuer), sub: publicKey(subject), name: 'test', jti: 'test' };
  const body = { ...names, iat: Math.floor(Date.now() / 1000), nats: { ...claims, version: 2 } };
  const signed = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded(body)}`;
  const signature = issuer.sign(new TextEncoder().encode(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}
