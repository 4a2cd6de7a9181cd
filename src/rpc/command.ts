/**
 * A command is one definition, from which its parser, usage, help, `check`, API description and reference pages are
 * made.
 *
 * Parameters are declared in positional order with the helpers below. The type of the handler's parameter
 * object is inferred:
 *
 *     params: {
 *       layer: required(string, 'Name of the layer.'),
 *       cutoff: optional(u64, 'UNIX time …'),
 *       persistent: withDefault(bool, false, 'Whether …'),
 *     },
 *     handler: ({ layer, cutoff, persistent }, context, call) => …   // string, bigint | undefined, boolean
 */

import type { ErrorName } from '../model/errors.ts';
import type { JsonToken } from './json-token.ts';
import type { ParamType } from './param-types.ts';
import type { Shape } from './result-shape.ts';
import type { NotificationLevel, Session, Stage } from './session.ts';

/** One parameter of a command: its type, whether it is required, and its description. */
export interface Param<T, C = unknown> {
  readonly type: ParamType<unknown, C>;
  readonly required: boolean;
  /** Name of a different parameter whose presence makes this one optional. */
  readonly unless?: string;
  /** The value passed to the handler when the parameter is absent. */
  readonly absent: T | undefined;
  readonly description: string;
  /** Whether the parameter is available and shown only in developer mode. */
  readonly forDevelopers?: boolean;
  /** Exists only to carry the type `T`. Never present at runtime. */
  readonly value?: T;
}

/** A required parameter. */
export function required<T, C = unknown>(type: ParamType<T, C>, description: string): Param<T, C> {
  return { type, required: true, absent: undefined, description };
}

/** A parameter that is required unless another one is given. */
export function requiredUnless<T, C = unknown>(
  unless: string,
  type: ParamType<T, C>,
  description: string,
): Param<T | undefined, C> {
  return { type, required: true, unless, absent: undefined, description };
}

/** Whether every call must have the parameter. */
export const isAlwaysRequired = ({
  required: isRequired,
  unless,
}: Pick<Param<unknown>, 'required' | 'unless'>): boolean => isRequired && unless === undefined;

/** A parameter that is undefined when it is absent. */
export function optional<T, C = unknown>(
  type: ParamType<T, C>,
  description: string,
): Param<T | undefined, C> {
  return { type, required: false, absent: undefined, description };
}

/** A parameter with a default. */
export function withDefault<T, C = unknown>(
  type: ParamType<T, C>,
  absent: NoInfer<T>,
  description: string,
): Param<T, C> {
  return { type, required: false, absent, description };
}

/**
 * Restricts a parameter to developer mode. Without that mode, a request with the parameter is refused, and no help or
 * description mentions it.
 */
export function forDevelopers<T, C = unknown>(param: Param<T, C>): Param<T, C> {
  return { ...param, forDevelopers: true };
}

/** The parameters of a command by name, in positional order. */
export type Params<C> = { readonly [name: string]: Param<unknown, C> };

/** The handler's input: every declared parameter, parsed. */
export type ParsedParams<P> = {
  readonly [K in keyof P]: P[K] extends Param<infer T, infer _C> ? T : never;
};

/** One member of a command's result, for the documentation. */
export interface ResultField {
  readonly type: string;
  /** The contents of a list or an object, down to the leaves. */
  readonly shape?: Shape;
  readonly description: string;
  readonly optional?: boolean;
}

/** A result member that is always present. */
export function field(type: string, description: string): ResultField {
  return { type, description };
}

/** A result member that may be absent. */
export function optionalField(type: string, description: string): ResultField {
  return { type, description, optional: true };
}

/** An example call and its recorded outcome: a result, or an error if the example shows a failure. */
export interface CommandExample {
  readonly params: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What a handler may answer: an object or a text. */
export type CommandResult = object | string;

/** A request contained in the parameters of another request. */
export interface InnerRequest {
  readonly method: string;
  readonly params: JsonToken;
}

/** One command of the service. `P` are its parameters; `C` is the context that all commands share. */
export interface CommandDefinition<P extends Params<C>, C> {
  readonly name: string;
  /** One line, for lists of commands. */
  readonly summary: string;
  /** Short sentences: what the command does, when to use it, and what its errors mean. */
  readonly description: string;
  readonly category: 'network' | 'routes' | 'payments' | 'offers' | 'utility';
  /**
   * Set if the command only reads: it changes nothing here, pays nothing, and is safe to repeat. The API description
   * shows this, so that an operator can restrict a caller to such commands.
   */
  readonly readOnly?: true;
  /** The release that introduced the command, if known: "Core Lightning v24.11", or "Fulgurite v0.2.0" for our own. */
  readonly since?: string;
  /**
   * Set if the command still works, but is refused where deprecated commands are not allowed. `since` names the program,
   * as above.
   */
  readonly deprecated?: { readonly since: string; readonly removed: string };
  /** The parameters in positional order. */
  readonly params: P;
  /**
   * Two adjacent parameters of different JSON kinds (array, object). When positional, they may come in either order,
   * because their kinds identify them.
   */
  readonly interchangeable?: readonly [keyof P & string, keyof P & string];
  /** Other names under which clients may send parameters. */
  readonly aliases?: Readonly<Record<string, keyof P & string>>;
  /** Whether undeclared parameters are allowed. The handler finds them in `call.params`. */
  readonly extraParams?: boolean;
  /**
   * For a command such as `check` whose parameters contain another request: that inner request. A caller needs
   * permission for both. Undefined if they contain no request.
   */
  readonly inside?: (params: JsonToken | undefined) => InnerRequest | undefined;
  /**
   * For a command that can spend money, now or later: the maximum msat to spend, which is the amount plus the fee
   * limit. Undefined when it is unknown in advance, or unbounded. Runes limit it (`outgo`).
   */
  readonly outgo?: (params: ParsedParams<P>, context: C) => bigint | undefined;
  /**
   * For a command with `outgo`: the msat that it has spent, from its result. Undefined if the amount is not final.
   * Default: the member `amount_sent_msat`.
   */
  readonly spent?: (result: object) => bigint | undefined;
  /** The additional checks of the `check` command: everything that can be refused before anything is done. */
  readonly check?: (params: ParsedParams<P>, context: C) => void | Promise<void>;
  /** The command's errors, in addition to those of every command (`ERRORS_OF_ALL`). */
  readonly errors?: readonly ErrorName[];
  /** Calls with their results, for the API description. */
  readonly examples?: readonly CommandExample[];
  /** Members of the result, in sending order. */
  readonly result: Readonly<Record<string, ResultField>>;
  /**
   * Does the work and returns the result: text, or an object of strings, booleans, numbers, bigint, arrays, objects,
   * and `JsonList` for long lists. Undefined members are not sent.
   * @throws FulguriteError for errors that the client should see. Anything else is answered as an internal error.
   */
  readonly handler: (
    params: ParsedParams<P>,
    context: C,
    call: Call<C>,
  ) => CommandResult | Promise<CommandResult>;
}

/** A command without its parameter types, as stored in registries. */
// biome-ignore lint/suspicious/noExplicitAny: the parameters of a handler are contravariant
export type Command<C> = CommandDefinition<any, C>;

/**
 * Makes the function that declares commands whose handlers get a context of type `C`. Each definition is checked once,
 * at startup: a required parameter must not follow an optional one.
 * @throws Error when the definition contradicts itself.
 */
export function defineCommandFor<C>(): <const P extends Params<C>>(
  definition: CommandDefinition<P, C>,
) => CommandDefinition<P, C> {
  return (definition) => {
    let optionalBefore: string | undefined;
    for (const [name, param] of Object.entries(definition.params)) {
      if (!param.required) optionalBefore = name;
      else if (optionalBefore !== undefined) {
        throw new Error(`${definition.name}: required ${name} follows optional ${optionalBefore}`);
      }
    }
    return definition;
  };
}

/** The parameters that are shown, in positional order. Developer parameters are shown only in developer mode. */
export function shownParams<C>(
  command: Command<C>,
  isDeveloper: boolean,
): [name: string, Param<unknown, C>][] {
  const params = Object.entries(command.params as Params<C>);
  return params.filter(([, param]) => isDeveloper || param.forDevelopers !== true);
}

/** The usage of a command in `help`: required parameters bare, optional ones in brackets. */
export function usageOf<C>(command: Command<C>, isDeveloper = false): string {
  const params = shownParams(command, isDeveloper);
  const mark = command.deprecated === undefined ? '' : '(DEPRECATED!) ';
  return `${command.name} ${mark}${params.map(([name, { required }]) => (required ? name : `[${name}]`)).join(' ')}`;
}

/** All commands of a service, for the dispatcher and `help`. */
export interface Registry<C> {
  readonly commands: ReadonlyMap<string, Command<C>>;
  /** Names in byte order, as listed by `help`. */
  readonly names: readonly string[];
  /** Whether developer parameters are available. */
  readonly isDeveloper: boolean;
}

/** One call of a command, as passed to its handler. `C` is the context that all commands share. */
export interface Call<C> {
  readonly registry: Registry<C>;
  readonly session: Session;
  /** Source text of the request's id. A string includes its quotes. */
  readonly id: string;
  /** The number that we gave the request, as text. The log uses it, because clients may repeat their ids. */
  readonly requestId: string;
  /** The request's parameters as sent. Undefined when there were none. */
  readonly params: JsonToken | undefined;
  /**
   * Sends a message before the answer, if the client has enabled notifications. `details` are additional members for
   * programs.
   */
  readonly notify: (level: NotificationLevel, message: string, details?: object) => void;
  /** Reports step `num` (from 0) of `total`. With `stage`, the steps belong to one of several stages. */
  readonly progress: (num: number, total: number, stage?: Stage) => void;
}
