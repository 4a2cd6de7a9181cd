/** A client in one function: a request over the unix socket, and its result. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';

const directory = process.env.FULGURITE_DIR || join(homedir(), '.fulgurite');

/** An error returned by the service: a `code` for programs, a `message` for people, and `data` with reason and remedy. */
export class RpcError extends Error {
  constructor({ code, message, data }) {
    super(`${code} ${message}`);
    this.code = code;
    this.data = data;
  }
}

/** The answer as text, for members that a JavaScript number cannot represent. Throws `RpcError`. */
export async function callText(method, params = {}) {
  const socket = connect(join(directory, 'fulgurite-rpc'));
  socket.setEncoding('utf8');
  await once(socket, 'connect');
  socket.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.endsWith('\n\n')) break;
  }
  socket.destroy();
  const { error } = JSON.parse(text);
  if (error !== undefined) throw new RpcError(error);
  return text;
}

/** The result of a call. Throws `RpcError`. */
export async function call(method, params = {}) {
  return JSON.parse(await callText(method, params)).result;
}
