/**
 * The hosts to which the operator permits posting events. A name must resolve to public addresses. Otherwise, anyone
 * who controls the name could make this node call services in its own network. An address of a private network is
 * permitted only if the operator named that very address; an address of this machine also if the operator named
 * `localhost`.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopback } from '../model/loopback.ts';
import { isPublicAddress } from '../model/public-address.ts';

/** The error for a connection to an address that is not permitted. */
export class HostRefused extends Error {}

/** The hosts that the operator named, each with or without a port: `example.com`, `10.0.0.5:8080`, `[::1]:9000`. */
export class NamedHosts {
  readonly #named: ReadonlySet<string>;

  constructor(named: readonly string[]) {
    this.#named = new Set(named.map((one) => one.toLowerCase()));
  }

  get isEmpty(): boolean {
    return this.#named.size === 0;
  }

  /**
   * The reason why events must not be posted to a URL. Undefined if they may be posted. Names are only looked up later,
   * when an event is posted.
   */
  objection(url: URL): string | undefined {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'should begin with https:// or http://';
    if (url.username !== '' || url.password !== '') return 'should have no user and no password';
    if (!this.#isNamed(url)) return `${url.host} is not permitted: start with --webhook-host ${url.host}`;
    return undefined;
  }

  #isNamed({ hostname, host }: URL): boolean {
    return this.#named.has(hostname) || this.#named.has(host);
  }

  /**
   * Looks up a name for a connection. Fails if an address of the name is not public, except for loopback addresses of
   * `localhost`, and for a host that is itself an address.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const refused = (found as LookupAddress[]).find(({ address }) => !this.#mayCall(hostname, address));
      if (refused !== undefined) {
        const why = `${hostname} resolves to ${refused.address}, which is not public`;
        return callback(new HostRefused(why) as NodeJS.ErrnoException, '');
      }
      const addresses = found as LookupAddress[];
      if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };

  #mayCall(hostname: string, address: string): boolean {
    if (isPublicAddress(address)) return true;
    // An operator who names an address or this machine does so deliberately.
    return isIP(hostname) !== 0 || (hostname === 'localhost' && isLoopback(address));
  }
}
