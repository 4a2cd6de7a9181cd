/** `notifications`, `deprecations`, `batching`: settings of one connection, which end with it. */
import { required } from '../../rpc/command.ts';
import { bool } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

export const notifications = defineCommand({
  name: 'notifications',
  summary: 'Allow or stop notifications on this connection.',
  description:
    'Once enabled, commands started afterwards may send progress and messages before their answer: objects ' +
    'without id, with method `message` or `progress` and the id of the request in their params. Messages about ' +
    'an attempt of a payment carry it as `attempt` beside the text, as `data.attempts` of the errors would.',
  category: 'utility',
  params: { enable: required(bool, 'Whether notifications are wanted.') },
  result: {},
  handler({ enable }, _context, { session }) {
    session.notifications = enable;
    return {};
  },
});

export const deprecations = defineCommand({
  name: 'deprecations',
  summary: 'Allow or refuse deprecated commands on this connection.',
  description:
    'Refused commands answer as if they were gone already, and `help` hides them: a way to test that a ' +
    'client is ready for the next releases.',
  category: 'utility',
  params: { enable: required(bool, 'Whether deprecated commands are served.') },
  result: {},
  handler({ enable }, _context, { session }) {
    session.deprecations = enable;
    return {};
  },
});

export const batching = defineCommand({
  name: 'batching',
  summary: 'Allow database commits of this connection to be gathered.',
  description:
    'A hint that many requests follow, for which speed counts more than that each is on disk when it is ' +
    'answered. The protocol does not change.',
  category: 'utility',
  params: { enable: required(bool, 'Whether commits may be gathered.') },
  result: {},
  handler({ enable }, _context, { session }) {
    session.batching = enable;
    return {};
  },
});
