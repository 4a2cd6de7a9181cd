/**
 * Starts the HTTP server: reads or creates the certificate, sets up the checks of runes, and prepares the documents
 * that it serves.
 */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { NodeContext } from '../../commands/context.ts';
import { eventJson, eventSubject } from '../../commands/events/event-json.ts';
import { nodesOf } from '../../commands/nodes-of.ts';
import { outgoOf } from '../../commands/outgo.ts';
import type { EventStream, NodeEvent } from '../../events/index.ts';
import { authorizeByRune } from '../../http/authorize.ts';
import type { EventSource, SourceEvent } from '../../http/feed.ts';
import { type Document, type Documents, type HttpServer, openHttpServer } from '../../http/http-server.ts';
import type { MapFiles } from '../../map-files/index.ts';
import type { Registry } from '../../rpc/command.ts';
import { usageOf } from '../../rpc/command.ts';
import { openRpc } from '../../rpc/describe.ts';
import { createDispatcher } from '../../rpc/dispatcher.ts';
import type { Forwarder } from '../../rpc/forwarder.ts';
import { toJson } from '../../rpc/json-write.ts';
import type { RpcLimits } from '../../rpc/limits.ts';
import type { RequestWatcher } from '../../rpc/request-watcher.ts';
import { swagger } from '../../rpc/swagger.ts';
import type { Turns } from '../../rpc/turns.ts';
import { certificateFor } from '../files/http-certificate.ts';
import type { HttpOptions } from '../options/http-options.ts';

/** What the HTTP server needs. */
export interface HttpDependencies {
  readonly registry: Registry<NodeContext>;
  readonly context: NodeContext;
  readonly turns: Turns;
  /** Forwards methods to the attached node. Undefined if forwarding is off. */
  readonly forward: Forwarder | undefined;
  readonly events: EventStream;
  readonly limits: RpcLimits;
  readonly allowDeprecated: boolean;
  /** Called for every request. */
  readonly watcher: RequestWatcher;
  readonly mapFiles: MapFiles;
  readonly onDied: (error: Error) => void;
}

/** Starts serving HTTP. @throws HttpServerError when a file or the address cannot be used */
export async function openHttp(options: HttpOptions, dependencies: HttpDependencies): Promise<HttpServer> {
  const { registry, context, turns, limits, allowDeprecated } = dependencies;
  const { log, runes } = context;
  const { forward } = dependencies;
  const isOfNode = (method: string): boolean => forward?.takes(method) === true;
  const authorize = authorizeByRune(
    runes,
    registry.commands,
    log,
    { outgoOf: outgoOf(registry, context, isOfNode), nodesOf: nodesOf(registry, context) },
    (method, rune) => {
      if (isOfNode(method) && !registry.commands.has(method)) runes.requireForward(rune, method);
    },
  );
  const watched = { watcher: dependencies.watcher, transport: 'http' } as const;
  const dispatcher = createDispatcher(registry, context, log, { authorize, watched, forward });
  const { host, port, hostNames, corsOrigins } = options;
  return openHttpServer(
    {
      host,
      port,
      tls: options.isTls ? await certificateFor(options, context.dataDirectory, log) : undefined,
      hostNames,
      corsOrigins,
      uiFolder: uiFolder(),
      limits: options.limits,
    },
    {
      dispatcher,
      authorize,
      registry,
      isForwarded: isOfNode,
      limits,
      turns,
      allowDeprecated,
      log,
      runes,
      redeemCode: (code) => context.linkCodes.redeem(code),
      watcher: dependencies.watcher,
      documents: documentsOf(dependencies),
      pageFile: (name) => dependencies.mapFiles.file(name),
      events: sourceOf(dependencies.events, context.isSimulated),
    },
    dependencies.onDied,
  );
}

/** The folder of the built web page, if it exists. In tests this file runs from its source, so the path differs. */
function uiFolder(): string | undefined {
  const isCompiled = import.meta.url.endsWith('.js');
  const folder = fileURLToPath(new URL(isCompiled ? '../../../web' : '../../../build/web', import.meta.url));
  return existsSync(folder) ? folder : undefined;
}

/** Converts the event stream to the format of the HTTP interface. */
function sourceOf(stream: EventStream, isSimulated: boolean): EventSource {
  const told = (event: NodeEvent): SourceEvent => ({
    id: event.id,
    name: event.type,
    subject: eventSubject(event),
    text: () => toJson(eventJson(event, isSimulated)),
  });
  return {
    follow(listener, afterId) {
      const { missed, ...following } = stream.follow((event) => listener(told(event)), afterId);
      return { ...following, missed: missed.map(told) };
    },
  };
}

function documentsOf({ registry, context }: HttpDependencies): Documents {
  const json = (value: object): Document => ({ contentType: 'application/json', text: toJson(value) });
  return {
    health: () => ({ contentType: 'text/plain; charset=utf-8', text: 'ok\n' }),
    ready: () => readiness(context),
    metrics: async () => ({
      contentType: 'text/plain; version=0.0.4; charset=utf-8',
      text: await context.metricsText(),
    }),
    openrpc: () => json(openRpc(registry, context.version)),
    swagger: () => json(swagger(registry, context.version)),
    methods: () => ({ contentType: 'text/html; charset=utf-8', text: methodLines(registry) }),
  };
}

/** A document that says whether the node is ready and, if it is not, the reasons by component. */
function readiness({ graph, networkPort, notReady }: NodeContext): Document {
  const reasons: Record<string, string> = { ...notReady() };
  if (graph.nodeCount === 0) reasons.graph = 'the channel graph is not available yet';
  const cannotPay = networkPort.nodeBehind()?.problem;
  if (cannotPay !== undefined) reasons.network = cannotPay;
  const isReady = Object.keys(reasons).length === 0;
  return {
    contentType: 'application/json',
    text: toJson({ ready: isReady, reasons }),
    isBadNews: !isReady,
  };
}

/** The usage of every command, as `list-methods` of Core Lightning's clnrest returns it. */
function methodLines(registry: Registry<NodeContext>): string {
  const line = '-'.repeat(171);
  return registry.names
    .map((name) => `Command: ${usageOf(registry.commands.get(name)!, registry.isDeveloper)}\n\n${line}\n\n`)
    .join('');
}
