/** Results of commands for runes, webhooks, settings, the log and help. */
import type { Shape } from '../../rpc/result-shape.ts';
import type { ResultShapes } from './shared.ts';

const CONFIG = {
  'value_int?': 'u64',
  'value_str?': 'string',
  'values_str?': ['string'],
  'set?': 'boolean',
  'source?': 'string',
  'sources?': ['string'],
  'dynamic?': 'boolean',
} as const satisfies Shape;

const BLACKLIST: Shape = [{ start: 'u64', end: 'u64' }];

/** For each command, the shapes of those members of its result that are lists or objects. */
export const UTILITY_RESULTS: ResultShapes = {
  blacklistrune: { blacklist: BLACKLIST },
  destroyrune: { blacklist: BLACKLIST },
  getlog: {
    log: [
      {
        type: '=SKIPPED|BROKEN|UNUSUAL|INFO|DEBUG',
        'num_skipped?': 'u32',
        'time?': 'string',
        'source?': 'string',
        'log?': 'string',
        'fields?': { '*': 'any' },
      },
    ],
  },
  help: { help: [{ command: 'string', 'forwarded?': 'boolean' }] },
  listconfigs: { configs: { '*': CONFIG } },
  addwebhook: { events: ['string'] },
  delwebhook: { events: ['string'] },
  listwebhooks: {
    webhooks: [
      {
        webhook_id: 'string',
        url: 'string',
        events: ['string'],
        created_at: 'u64',
        waiting: 'u64',
        delivered: 'u64',
        failures: 'u64',
        dropped: 'u64',
        'last_delivered_at?': 'u64',
        'last_problem?': 'string',
        'next_attempt_at?': 'u64',
      },
    ],
  },
  'rpc.discover': {
    info: { title: 'string', version: 'string' },
    methods: [{ '*': 'any' }],
  },
  setconfig: { config: { config: 'string', ...CONFIG } },
  showrunes: {
    runes: [
      {
        rune: 'string',
        'unique_id?': 'string',
        restrictions: [
          {
            alternatives: [{ fieldname: 'string', value: 'string', condition: 'string', english: 'string' }],
            english: 'string',
          },
        ],
        restrictions_as_english: 'string',
        'last_used?': 'number',
        'blacklisted?': 'boolean',
        'stored?': 'boolean',
        'our_rune?': 'boolean',
      },
    ],
  },
};
