/**
 * The paths of the HTTP server, and the checks that every call must pass before it reaches the main thread: its Host
 * names this server, scripts of its Origin are allowed, its body is readable and not too long, and its rune permits it
 * as far as this thread knows (rune-gate.ts).
 *
 *   POST /v1/METHOD            like Core Lightning's clnrest: the body has the parameters, as JSON or a form
 *   POST / and /rpc            JSON-RPC 2.0, one request or a batch
 *   GET  /v1/list-methods      the commands, one line each
 *   GET  /v1/notifications     events, as Server-Sent Events
 *   GET  /openrpc.json, /swagger.json, /healthz, /readyz, /metrics
 *   GET  /ui/…                 the page
 *   POST /ui/redeem            exchanges the code of a link to the page, in the header Code, for a rune
 */
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ERRORS, type ErrorName, FulguriteError } from '../model/errors.ts';
import { TokenBucket } from '../model/token-bucket.ts';
import type { InputBudget } from '../rpc/input-budget.ts';
import { toJson } from '../rpc/json-write.ts';
import { isLocalRequest, isOwnHost } from './addresses.ts';
import { BodyError, bodyLength, leaveUnread, readBody } from './body.ts';
import { asJson, formOf, JSON_TYPES } from './body-forms.ts';
import { type CallReply, type CallText, errorReply, normalized } from './call-forms.ts';
import type { ClientQuota, WaitingQuota } from './client-quota.ts';
import type { Followers } from './followers.ts';
import type { MainLink, MainReply } from './main-link.ts';
import type { DocumentName, PageFileName, ServerSettings } from './messages.ts';
import type { RefusalLimit } from './refusal-limit.ts';
import type { RuneBearer, RuneGate } from './rune-gate.ts';
import type { SharedDocuments } from './shared-documents.ts';
import { fileResponse, staticFiles } from './static-files.ts';

/** The services and settings that the app needs. */
export interface AppServices {
  readonly settings: ServerSettings;
  readonly main: MainLink;
  readonly input: InputBudget;
  readonly gate: RuneGate;
  /** Counts invalid runes by address. */
  readonly wrongRunes: RefusalLimit;
  /** Counts requests that a valid rune of this node did not permit, by rune and address. */
  readonly notPermitted: RefusalLimit;
  /** Counts requests for the large descriptions of all commands, by address. */
  readonly descriptions: RefusalLimit;
  readonly followers: Followers;
  readonly documents: SharedDocuments;
  /** Each client's numbers of requests in progress and of event streams. */
  readonly inFlightShares: ClientQuota;
  readonly followerShares: ClientQuota;
  /** Each client's bytes of long bodies. */
  readonly longBodyShares: WaitingQuota;
}

type Environment = { Bindings: HttpBindings };
type HttpContext = Context<Environment>;

const ALLOWED_HEADERS = ['Content-Type', 'Rune', 'Idempotency-Key', 'Last-Event-ID', 'Nodeid'];
const PREFLIGHT_SECONDS = 600;
const MISDIRECTED = 421;
const TOO_MANY = 429;
const NOT_ACCEPTABLE = 406;
const METHOD_NOT_ALLOWED = 405;
const FORBIDDEN = 403;
const BAD_REQUEST = 400;

/** Makes the app. */
export function createApp(services: AppServices): Hono<Environment> {
  const app = new Hono<Environment>();
  const { maxPipelined, maxBodyBytes } = services.settings.limits;
  app.use(async ({ env }, next) => {
    await next();
    leaveUnread(env.incoming, env.outgoing, maxBodyBytes);
  });
  app.use(pipelineBound(maxPipelined));
  app.use(guard(services.settings));
  if (services.settings.corsOrigins.length > 0) app.use(corsOf(services.settings));
  addDocuments(app, services);
  app.post('/', (context) => call(context, services, 'rpc', ''));
  app.post('/rpc', (context) => call(context, services, 'rpc', ''));
  app.get('/v1/notifications', (context) => follow(context, services));
  app.post('/v1/*', (context) => call(context, services, 'rest', methodOf(context)));
  app.all('/v1/*', (context) => refused(context, METHOD_NOT_ALLOWED, MUST_POST));
  const { uiFolder } = services.settings;
  if (uiFolder !== undefined) {
    app.get('/ui/:name{(graph|ids|names)\\.bin}', (context) => pageFile(context, services));
    app.post('/ui/redeem', (context) => redeem(context, services));
    app.get('/ui', (context) => context.redirect('/ui/'));
    app.get('/ui/*', staticFiles(uiFolder));
  }
  app.get('/', (context) =>
    uiFolder === undefined ? context.text('Fulgurite\n') : context.redirect('/ui/'),
  );
  app.notFound((context) =>
    refused(context, ERRORS.unknownMethod.httpStatus, {
      ...UNKNOWN,
      message: /.v1\//.test(context.req.path)
        ? 'Path invalid, version missing for CLN methods'
        : 'Path not found',
    }),
  );
  const stacks = new TokenBucket(STACKS, STACKS_PER_SECOND);
  app.onError((error, context) => {
    // It is not our fault if a client disconnects before its request is complete.
    if (!context.env.incoming.destroyed && stacks.take()) {
      services.main.log('broken', error.stack ?? error.message);
    }
    return told(context, 'internal', ERRORS.internal.meaning);
  });
  return app;
}

/** Maximum burst of internal errors logged with stack traces, and their maximum per second after that. */
const STACKS = 10;
const STACKS_PER_SECOND = 0.1;

/** The machine-readable part of a refusal, in clnrest's form. */
interface RestRefusal {
  readonly code: number | null;
  readonly message: string;
}

const UNKNOWN: RestRefusal = { code: ERRORS.unknownMethod.code, message: '' };
const MUST_POST: RestRefusal = {
  ...UNKNOWN,
  message: 'Path invalid, http_method must be POST for CLN methods',
};

function refused(context: HttpContext, status: number, { code, message }: RestRefusal): Response {
  return context.body(toJson({ code, message, data: null }), status as ContentfulStatusCode, {
    'Content-Type': 'application/json',
  });
}

function told(context: HttpContext, name: ErrorName, message: string): Response {
  return refused(context, ERRORS[name].httpStatus, { code: ERRORS[name].code, message });
}

/** Limits the concurrent requests of one connection. A client may send many without waiting for answers. */
function pipelineBound(most: number): MiddlewareHandler<Environment> {
  const running = new WeakMap<object, number>();
  return async (context, next) => {
    const { socket } = context.env.incoming;
    const before = running.get(socket) ?? 0;
    if (before >= most) {
      context.header('Connection', 'close');
      return told(context, 'busy', `More than ${most} concurrent requests of one connection`);
    }
    running.set(socket, before + 1);
    try {
      await next();
    } finally {
      running.set(socket, running.get(socket)! - 1);
    }
    return undefined;
  };
}

/**
 * Refuses requests whose Host does not name this server, and POST requests whose Origin is not permitted. Sets the
 * headers of all other answers.
 */
function guard({ host, hostNames, corsOrigins }: ServerSettings): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const asked = context.req.header('host') ?? '';
    if (!isOwnHost(asked, host, hostNames)) {
      // A different site can point its own name at this server. Its scripts would then count as scripts of this server.
      return refused(context, MISDIRECTED, { code: null, message: 'Unknown Host header' });
    }
    const origin = context.req.header('origin');
    if (context.req.method === 'POST' && origin !== undefined && !mayCall(origin, asked, corsOrigins)) {
      return refused(context, FORBIDDEN, { code: null, message: 'This Origin is not permitted' });
    }
    await next();
    const { headers } = context.res;
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
    if (!headers.has('Content-Security-Policy')) {
      headers.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    }
    headers.set('X-Content-Type-Options', 'nosniff');
    headers.set('Referrer-Policy', 'no-referrer');
    return undefined;
  };
}

/** Whether scripts of an origin may send requests. Those of our own page and of the origins in the options may. */
function mayCall(origin: string, host: string, corsOrigins: readonly string[]): boolean {
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return true;
  return origin.replace(/^https?:\/\//, '').toLowerCase() === host.toLowerCase();
}

function corsOf({ corsOrigins }: ServerSettings): MiddlewareHandler<Environment> {
  const allow = cors({
    origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
    allowMethods: ['GET', 'POST', 'OPTIONS'],
    allowHeaders: ALLOWED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
  });
  return (context, next) => (context.req.path.startsWith('/ui/') ? next() : allow(context, next));
}

function addDocuments(app: Hono<Environment>, services: AppServices): void {
  const open = (name: DocumentName) => (context: HttpContext) => document(context, services, name, undefined);
  const local = (name: DocumentName, method: string) => (context: HttpContext) =>
    document(context, services, name, isLocal(context, services) ? undefined : method);
  app.get('/healthz', open('health'));
  app.get('/readyz', local('ready', 'getinfo'));
  // The metrics are 200 kB, and Prometheus reads them every few seconds.
  app.use('/metrics', compress({ encoding: 'gzip' }));
  app.get('/metrics', local('metrics', 'getmetrics'));
  app.get('/openrpc.json', described(services, open('openrpc')));
  app.get('/swagger.json', described(services, open('swagger')));
  app.get('/v1/list-methods', open('methods'));
}

/** Limits how often one address may read a description. */
function described({ descriptions }: AppServices, read: (context: HttpContext) => Promise<Response>) {
  return async (context: HttpContext): Promise<Response> =>
    descriptions.isOwed(addressOf(context)) ? tooMany(context, 'Too many requests') : read(context);
}

const isLocal = (context: HttpContext, { settings }: AppServices): boolean =>
  isLocalRequest({
    bound: settings.host,
    remote: addressOf(context),
    version: context.env.incoming.httpVersion,
    header: (name) => context.req.header(name),
  });

function addressOf({ env }: HttpContext): string {
  return env.incoming.socket.remoteAddress ?? '';
}

/** The command named in a path. */
function methodOf(context: HttpContext): string {
  const path = context.req.path.slice('/v1/'.length);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function document(
  context: HttpContext,
  services: AppServices,
  name: DocumentName,
  method: string | undefined,
): Promise<Response> {
  if (method === undefined) return respond(context, await services.documents.get(name));
  const refusal = refusalOf(context, services, method);
  if (refusal !== undefined) return refusal;
  const { rune, address } = askerOf(context);
  return respond(context, await services.main.ask({ kind: 'document', name, method, rune, address }));
}

const askerOf = (context: HttpContext): RuneBearer => ({
  rune: context.req.header('rune'),
  address: addressOf(context),
});

/** The caller, identified by rune and address. */
interface HttpClient {
  /** Whether the client has a valid rune of this node. */
  readonly isKnown: boolean;
  /**
   * Key of the client for limits on concurrency: all clients with the same rune count as one, and so do all clients
   * without a valid rune at the same address.
   */
  readonly share: string;
  /** Key of the client for counting refusals: its address, with the rune if it is a valid one of this node. */
  readonly name: string;
  /** Whether the client has caused too many refusals. */
  readonly isTooMuch: boolean;
}

/** Identifies the client of a request. Counts an invalid rune. */
function clientOf(context: HttpContext, { gate, wrongRunes, notPermitted }: AppServices): HttpClient {
  const { rune, address } = askerOf(context);
  if (rune === undefined) return { isKnown: false, share: address, name: address, isTooMuch: false };
  const known = gate.knownName(rune);
  if (known === undefined) {
    return { isKnown: false, share: address, name: address, isTooMuch: wrongRunes.isOwed(address) };
  }
  const name = `${known} ${address}`;
  return { isKnown: true, share: `rune ${known}`, name, isTooMuch: notPermitted.owes(name) };
}

/** The refusal of a request without parameters. Undefined if the main thread must decide. */
function refusalOf(context: HttpContext, services: AppServices, method: string): Response | undefined {
  const { isTooMuch, isKnown, name } = clientOf(context, services);
  if (isTooMuch) return tooMany(context);
  const refusal = services.gate.refusalOf(method, askerOf(context));
  if (refusal !== undefined && isKnown) services.notPermitted.charge(name, 1);
  return refusal && respondError(context, refusal);
}

async function call(
  context: HttpContext,
  services: AppServices,
  form: 'rpc' | 'rest',
  method: string,
): Promise<Response> {
  const client = clientOf(context, services);
  if (client.isTooMuch) return tooMany(context);
  const type = unreadableType(context);
  if (type !== undefined) return refused(context, NOT_ACCEPTABLE, { code: null, message: type });
  const early = earlyRefusal(context, services, client, form, method);
  if (early !== undefined) return respondError(context, early);
  const { main, settings, inFlightShares } = services;
  if (main.inFlight >= settings.limits.maxInFlight || !inFlightShares.take(client.share)) {
    context.header('Retry-After', '1');
    return told(context, 'busy', 'Too many concurrent requests');
  }
  try {
    return await readAndAnswered(context, services, client, { form, method });
  } finally {
    inFlightShares.giveBack(client.share);
  }
}

/**
 * The refusal of a call whose body need not be read. A JSON-RPC answer repeats the id from the body, so a body
 * that is short, or comes from a known client, is read to find the id.
 */
function earlyRefusal(
  context: HttpContext,
  { gate, settings, notPermitted }: AppServices,
  { isKnown, name }: HttpClient,
  form: 'rpc' | 'rest',
  method: string,
): CallReply | undefined {
  const isShort = bodyLength(context.env.incoming) <= settings.limits.maxStrangerBytes;
  if (form === 'rpc' && (isKnown || isShort)) return undefined;
  const refusal = gate.refusalOfMethod(form, method, askerOf(context));
  if (refusal !== undefined && isKnown) notPermitted.charge(name, 1);
  return refusal;
}

/**
 * Reads the body of a call, and answers the call. A long body takes many times its length in memory until the call is
 * answered. So while a client has its share of long bodies, its further long bodies wait unread.
 */
async function readAndAnswered(
  context: HttpContext,
  services: AppServices,
  client: HttpClient,
  call: Omit<CallText, 'body'>,
): Promise<Response> {
  const { incoming } = context.env;
  const { maxBodyBytes, maxStrangerBytes, longBodyBytes } = services.settings.limits;
  const bytes = bodyLength(incoming);
  // A body whose declared length is too large is refused unread. Without a declared length, assume the maximum.
  const mayBeLong = bytes > longBodyBytes && (bytes <= maxBodyBytes || bytes === Infinity);
  const { longBodyShares, input } = services;
  let share = mayBeLong ? Math.min(bytes, maxBodyBytes) : 0;
  const giveBack = (): void => {
    if (share > 0) longBodyShares.giveBack(client.share, share);
    share = 0;
  };
  if (share > 0) await longBodyShares.take(client.share, share);
  try {
    const body = await readBody(incoming, client.isKnown ? maxBodyBytes : maxStrangerBytes, input);
    if (body.length <= longBodyBytes) giveBack();
    return await answered(context, services, client, { ...call, body });
  } catch (error) {
    if (error instanceof BodyError) return told(context, error.name, error.message);
    throw error;
  } finally {
    giveBack();
  }
}

/** Answers a call with a complete body. @throws BodyError when the body is not a valid form */
async function answered(
  context: HttpContext,
  { main, settings, gate, notPermitted }: AppServices,
  client: HttpClient,
  { form, method, body }: CallText,
): Promise<Response> {
  const asker = askerOf(context);
  let called: CallText;
  try {
    const json = form === 'rest' ? asJson(body, formOf(contentTypeOf(context))!) : body;
    called = normalized({ form, method, body: json }, settings.gate.limits);
  } catch (error) {
    if (error instanceof FulguriteError) return respondError(context, errorReply(form, error));
    throw error;
  }
  const refusal = gate.answer(called, asker);
  if (refusal !== undefined) {
    if (client.isKnown) notPermitted.charge(client.name, refusal.count);
    return respondError(context, refusal.reply);
  }
  const idempotencyKey = context.req.header('idempotency-key');
  const reply = await main.ask({ kind: 'call', ...called, ...asker, idempotencyKey }, (id) =>
    context.env.outgoing.once('close', () => main.leave(id)),
  );
  return respond(context, reply);
}

/**
 * The method that a rune must permit so that its holder can follow events. Because the name begins with `list`, every
 * rune for `list…` suffices, as in clnrest.
 */
const FOLLOW_METHOD = 'listclnrest-notifications';

async function follow(context: HttpContext, services: AppServices): Promise<Response> {
  const { main, followers, followerShares, settings } = services;
  const refusal = refusalOf(context, services, FOLLOW_METHOD);
  if (refusal !== undefined) return refusal;
  const { maxFollowers, maxFollowersOfOne } = settings.limits;
  if (followers.size >= maxFollowers) {
    return told(context, 'busy', `More than ${maxFollowers} clients follow events`);
  }
  const { share } = clientOf(context, services);
  if (!followerShares.take(share)) {
    return told(context, 'busy', `More than ${maxFollowersOfOne} clients follow events with this rune`);
  }
  const { incoming, outgoing } = context.env;
  outgoing.once('close', () => followerShares.giveBack(share));
  // Events have no end, so a client that closes its side has left.
  incoming.socket.once('end', () => outgoing.destroy());
  const last = context.req.header('last-event-id') ?? '';
  const afterId = /^\d{1,16}$/.test(last) ? Number(last) : undefined;
  const reply = await main.follow(
    { kind: 'follow', method: FOLLOW_METHOD, ...askerOf(context), afterId },
    ({ missed, lastId }) => followers.add(missed, lastId),
  );
  return respond(context, reply);
}

/** For each file of the page, the command that returns the same data. A rune must permit that command. */
const FILE_METHODS: Readonly<Record<PageFileName, string>> = {
  graph: 'listchannels',
  ids: 'listnodes',
  names: 'listnodes',
};

async function pageFile(context: HttpContext, services: AppServices): Promise<Response> {
  const name = context.req.path.slice('/ui/'.length, -'.bin'.length) as PageFileName;
  const method = FILE_METHODS[name];
  const refusal = refusalOf(context, services, method);
  if (refusal !== undefined) return refusal;
  const reply = await services.main.file({ kind: 'file', name, method, ...askerOf(context) });
  return 'body' in reply ? respond(context, reply) : fileResponse(context, reply);
}

/** The form of a link's code: 128 bits in base64url. */
const LINK_CODE = /^[\w-]{22}$/;

/**
 * Exchanges the code of a link to the page for a rune. The code is sent as a header, so that no body of an unknown
 * client is read. Attempts count like invalid runes, so an address cannot try many codes.
 */
async function redeem(context: HttpContext, { main, wrongRunes }: AppServices): Promise<Response> {
  if (wrongRunes.isOwed(addressOf(context))) return tooMany(context);
  const code = context.req.header('code') ?? '';
  return LINK_CODE.test(code)
    ? respond(context, await main.ask({ kind: 'redeem', code }))
    : refused(context, BAD_REQUEST, {
        code: null,
        message: 'The Code header must contain the code of a link',
      });
}

function respond(context: HttpContext, { status, contentType, body }: MainReply): Response {
  return context.body(body, status as ContentfulStatusCode, { 'Content-Type': contentType });
}

/** Sends a refusal made by this thread. All its pieces are strings, because it contains no result to wait for. */
function respondError(context: HttpContext, { status, pieces }: CallReply): Response {
  return respond(context, { status, contentType: JSON_TYPES[0], body: [...pieces].join('') });
}

function tooMany(context: HttpContext, message = 'Too many refused requests'): Response {
  context.header('Retry-After', '1');
  context.header('Connection', 'close');
  return refused(context, TOO_MANY, { code: null, message });
}

/**
 * The reason why the type of the body is not supported, or why the client does not accept JSON. Undefined if both are
 * fine. The form type is accepted even for JSON-RPC, because curl declares JSON data as a form by default.
 */
function unreadableType(context: HttpContext): string | undefined {
  const sent = contentTypeOf(context);
  if (formOf(sent) === undefined) return `Unsupported content-type header: ${sent.slice(0, 100)}`;
  const wanted = context.req.header('accept') ?? JSON_TYPES[0];
  if (![...JSON_TYPES, 'application/*'].some((type) => wanted.includes(type))) {
    return `Unsupported accept header: ${wanted.slice(0, 100)}`;
  }
  return undefined;
}

function contentTypeOf(context: HttpContext): string {
  return context.req.header('content-type') ?? JSON_TYPES[0];
}
