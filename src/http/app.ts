/**
 * The paths of the HTTP server, and the checks that every request must pass before it reaches the main thread: its
 * Host names this server, its Origin may call, its body is not too long and can be read, and its rune permits it as
 * far as this thread knows (rune-gate.ts).
 *
 *   POST /v1/METHOD            as clnrest of Core Lightning: the body has the parameters, as JSON, YAML or a form
 *   POST / and /rpc            JSON-RPC 2.0, one request or a batch
 *   GET  /v1/list-methods      the commands, one line each
 *   GET  /v1/notifications     events, as Server-Sent Events
 *   GET  /openrpc.json, /swagger.json, /healthz, /readyz, /metrics
 *   GET  /ui/…                 the page
 *   POST /ui/redeem            exchanges the code of a link to the page, in the header Code, for a rune
 */
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ERRORS, type ErrorName } from '../model/errors.ts';
import type { InputBudget } from '../rpc/input-budget.ts';
import { toJson } from '../rpc/json-write.ts';
import { isLocalRequest, isOwnHost } from './addresses.ts';
import { BodyError, leaveUnread, readBody } from './body.ts';
import { asJson, formOf, JSON_TYPES, YAML_TYPE } from './body-forms.ts';
import type { CallReply } from './call-forms.ts';
import type { Followers } from './followers.ts';
import type { MainLink, MainReply } from './main-link.ts';
import type { DocumentName, PageFileName, ServerSettings } from './messages.ts';
import type { Penance } from './penance.ts';
import type { RuneBearer, RuneGate } from './rune-gate.ts';
import { fileResponse, staticFiles } from './static-files.ts';

/** What the app works with. */
export interface AppServices {
  readonly settings: ServerSettings;
  readonly main: MainLink;
  readonly input: InputBudget;
  readonly gate: RuneGate;
  readonly penance: Penance;
  readonly followers: Followers;
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
const CREATED = 201;

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
  app.onError((error, context) => {
    services.main.log('broken', error.stack ?? error.message);
    return told(context, 'internal', ERRORS.internal.meaning);
  });
  return app;
}

/** The part of a refusal that programs read, as clnrest has it. */
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

/** Bounds the requests of one connection that run at once. A client may send many without waiting for answers. */
function pipelineBound(most: number): MiddlewareHandler<Environment> {
  const running = new WeakMap<object, number>();
  return async (context, next) => {
    const { socket } = context.env.incoming;
    const before = running.get(socket) ?? 0;
    if (before >= most) {
      context.header('Connection', 'close');
      return told(context, 'busy', `More than ${most} requests of one connection`);
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

/** Refuses other Hosts, and sets the headers that every answer has. */
function guard({ host, hostNames, corsOrigins }: ServerSettings): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const asked = context.req.header('host') ?? '';
    if (!isOwnHost(asked, host, hostNames)) {
      // Another site can point its own name at this server. Its scripts would then count as scripts of this server.
      return refused(context, MISDIRECTED, { code: null, message: 'This is not the server of that Host' });
    }
    const origin = context.req.header('origin');
    if (context.req.method === 'POST' && origin !== undefined && !mayCall(origin, asked, corsOrigins)) {
      return refused(context, FORBIDDEN, { code: null, message: 'Scripts of that Origin may not call' });
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

/** Whether scripts of an origin may call: those of our own page, and those of the origins in the options. */
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
  app.get('/metrics', local('metrics', 'getmetrics'));
  app.get('/openrpc.json', open('openrpc'));
  app.get('/swagger.json', open('swagger'));
  app.get('/v1/list-methods', open('methods'));
}

const isLocal = (context: HttpContext, { settings }: AppServices): boolean =>
  isLocalRequest(settings.host, addressOf(context), context.req.header('x-forwarded-for'));

function addressOf({ env }: HttpContext): string {
  return env.incoming.socket.remoteAddress ?? '';
}

/** The command that a path names. */
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
  const rune = method === undefined ? undefined : context.req.header('rune');
  const refusal = method === undefined ? undefined : refusalOf(context, services, method);
  if (refusal !== undefined) return refusal;
  return respond(
    context,
    await services.main.ask({ kind: 'document', name, method, rune, address: addressOf(context) }),
  );
}

const askerOf = (context: HttpContext): RuneBearer => ({
  rune: context.req.header('rune'),
  address: addressOf(context),
});

/** The refusal of a method without parameters. Undefined when the main thread must judge. */
function refusalOf(context: HttpContext, services: AppServices, method: string): Response | undefined {
  if (owesPenance(context, services)) return tooMany(context);
  const refusal = services.gate.refusalOf(method, askerOf(context));
  return refusal && respondError(context, refusal);
}

/** Whether a request shows a wrong rune, and its address has shown too many of those. */
function owesPenance(context: HttpContext, { gate, penance }: AppServices): boolean {
  const { rune, address } = askerOf(context);
  return rune !== undefined && gate.isWrong(rune) && penance.isOwed(address);
}

async function call(
  context: HttpContext,
  services: AppServices,
  form: 'rpc' | 'rest',
  method: string,
): Promise<Response> {
  const { main, settings, gate } = services;
  const { limits } = settings;
  const asker = askerOf(context);
  const isUnknown = asker.rune === undefined || gate.isWrong(asker.rune);
  if (asker.rune !== undefined && isUnknown && services.penance.isOwed(asker.address))
    return tooMany(context);
  const type = unreadableType(context, form);
  if (type !== undefined) return refused(context, NOT_ACCEPTABLE, { code: null, message: type });
  // The answer to JSON-RPC needs the id, which is in the body.
  const early = isUnknown && form === 'rest' ? gate.refusalOf(method, asker) : undefined;
  if (early !== undefined) return respondError(context, early);
  if (main.inFlight >= limits.maxInFlight) {
    context.header('Retry-After', '1');
    return told(context, 'busy', `More than ${limits.maxInFlight} requests are under way`);
  }
  let body: string;
  try {
    body = await readBody(context.env.incoming, limits.maxBodyBytes, services.input);
    if (form === 'rest') body = asJson(body, formOf(contentTypeOf(context))!);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    return told(context, error.name, error.message);
  }
  const refusal = gate.answer({ form, method, body }, asker);
  if (refusal !== undefined) return respondError(context, refusal);
  const idempotencyKey = context.req.header('idempotency-key');
  const reply = await main.ask({ kind: 'call', form, method, body, ...asker, idempotencyKey }, (id) =>
    context.env.outgoing.once('close', () => main.leave(id)),
  );
  return respond(context, form === 'rest' ? inWantedType(context, reply) : reply);
}

/** The answer as YAML when the client takes YAML only. Its text stays, because JSON is YAML. Errors are JSON. */
function inWantedType(context: HttpContext, reply: MainReply): MainReply {
  const wanted = context.req.header('accept') ?? JSON_TYPES[0];
  const isYaml = !JSON_TYPES.some((type) => wanted.includes(type)) && wanted.includes(YAML_TYPE);
  return isYaml && reply.status === CREATED ? { ...reply, contentType: YAML_TYPE } : reply;
}

/** A rune must permit this method to follow events. So every rune for `list…` may follow, as with clnrest. */
const FOLLOW_METHOD = 'listclnrest-notifications';

async function follow(context: HttpContext, services: AppServices): Promise<Response> {
  const { main, followers, settings } = services;
  const refusal = refusalOf(context, services, FOLLOW_METHOD);
  if (refusal !== undefined) return refusal;
  if (followers.size >= settings.limits.maxFollowers) {
    return told(context, 'busy', `More than ${settings.limits.maxFollowers} clients follow events`);
  }
  const last = context.req.header('last-event-id') ?? '';
  const afterId = /^\d{1,16}$/.test(last) ? Number(last) : undefined;
  const reply = await main.follow(
    { kind: 'follow', method: FOLLOW_METHOD, ...askerOf(context), afterId },
    ({ missed, lastId }) => followers.add(missed, lastId),
  );
  return respond(context, reply);
}

/** The command that a rune must permit for a file of the page: what the file contains can be read by it too. */
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

/** 128 bits in base64url. */
const LINK_CODE = /^[\w-]{22}$/;

/**
 * Exchanges the code of a link to the page for a rune. The code comes as a header, so no body of a stranger is read.
 * Attempts count as wrong runes do, so an address cannot try many.
 */
async function redeem(context: HttpContext, { main, penance }: AppServices): Promise<Response> {
  if (penance.isOwed(addressOf(context))) return tooMany(context);
  const code = context.req.header('code') ?? '';
  return LINK_CODE.test(code)
    ? respond(context, await main.ask({ kind: 'redeem', code }))
    : refused(context, BAD_REQUEST, { code: null, message: 'The header Code must hold the code of a link' });
}

function respond(context: HttpContext, { status, contentType, body }: MainReply): Response {
  return context.body(body, status as ContentfulStatusCode, { 'Content-Type': contentType });
}

/** Sends the refusal of the gate. Its pieces are texts, because it holds no result. */
function respondError(context: HttpContext, { status, pieces }: CallReply): Response {
  return respond(context, { status, contentType: JSON_TYPES[0], body: [...pieces].join('') });
}

function tooMany(context: HttpContext): Response {
  context.header('Retry-After', '1');
  context.header('Connection', 'close');
  return refused(context, TOO_MANY, { code: null, message: 'Too many runes that are not of this node' });
}

/**
 * Why the body cannot be read, or why no answer can be given in the type that the client accepts. Undefined when
 * both are possible. JSON-RPC is JSON; a form may be JSON under the type that curl gives it.
 */
function unreadableType(context: HttpContext, form: 'rpc' | 'rest'): string | undefined {
  const sent = contentTypeOf(context);
  const isRest = form === 'rest';
  const bodyForm = formOf(sent);
  if (bodyForm === undefined || (bodyForm === 'yaml' && !isRest)) {
    return `Unsupported content-type header: ${sent.slice(0, 100)}`;
  }
  const wanted = context.req.header('accept') ?? JSON_TYPES[0];
  if (
    ![...JSON_TYPES, 'application/*', ...(isRest ? [YAML_TYPE] : [])].some((type) => wanted.includes(type))
  ) {
    return `Unsupported accept header: ${wanted.slice(0, 100)}`;
  }
  return undefined;
}

function contentTypeOf(context: HttpContext): string {
  return context.req.header('content-type') ?? JSON_TYPES[0];
}
