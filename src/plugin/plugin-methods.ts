/**
 * The methods that the plugin offers to the node, and their names in the node.
 *
 * The methods are listed here as text, because the node requests the list before the engine runs. A test compares the
 * list with the definitions of the commands.
 *
 *     replacing cln-askrene    getroutes, askrene-…      the names that the node's own payers call
 *     next to cln-askrene      fulgurite-getroutes, …    cln-askrene keeps its names
 *     always                   fulgurite-keysend, …      no release of the node has such names
 */

/** One command of the engine, as the plugin offers it. */
export interface PluginMethod {
  /** The engine's name for the command. */
  readonly command: string;
  /** The command's parameters, as shown by `help`. */
  readonly usage: string;
  /** Parameters shown after `usage` in developer mode. */
  readonly developerTail?: string;
  /** Parameters shown last, in every mode. */
  readonly lastTail?: string;
  readonly deprecated?: true;
  /** Whether repeating the call is harmless, because the command changes nothing and sends nothing. */
  readonly readOnly?: true;
}

/** Prefix of names that only Fulgurite uses. */
export const OWN_PREFIX = 'fulgurite-';

const RANDOM_TAIL = '[dev_use_shadow] [dev_randomize]';
const NODES_TAIL = '[nodes] [one_node]';
const LIST_USAGE = '[bolt11] [payment_hash] [status] [index] [start] [limit]';
const KEYSEND_USAGE =
  'destination amount_msat [label] [maxfeepercent] [retry_for] [maxdelay] [exemptfee] [routehints] ' +
  '[extratlvs] [maxfee]';
const XPAY_USAGE =
  'invstring [amount_msat] [maxfee] [layers] [retry_for] [partial_msat] [maxdelay] [payer_note] [label] ' +
  '[localinvreqid]';

/** The commands of cln-askrene. */
export const ASKRENE_METHODS: readonly PluginMethod[] = [
  {
    command: 'getroutes',
    usage: 'source destination amount_msat layers maxfee_msat final_cltv [maxdelay] [maxparts]',
    developerTail: '[dev_algorithm]',
    lastTail: '[pareto] [source_channels] [destination_channels]',
    readOnly: true,
  },
  { command: 'askrene-listreservations', usage: '', readOnly: true },
  { command: 'askrene-reserve', usage: 'path' },
  { command: 'askrene-unreserve', usage: 'path', developerTail: '[dev_remove_all]' },
  { command: 'askrene-disable-node', usage: 'layer node' },
  {
    command: 'askrene-create-channel',
    usage: 'layer source destination short_channel_id capacity_msat',
  },
  {
    command: 'askrene-update-channel',
    usage:
      'layer short_channel_id_dir [enabled] [htlc_minimum_msat] [htlc_maximum_msat] [fee_base_msat] ' +
      '[fee_proportional_millionths] [cltv_expiry_delta]',
  },
  { command: 'askrene-remove-channel-update', usage: 'layer short_channel_id_dir' },
  { command: 'askrene-inform-channel', usage: 'layer short_channel_id_dir amount_msat inform' },
  { command: 'askrene-bias-channel', usage: 'layer short_channel_id_dir bias [description] [relative]' },
  { command: 'askrene-bias-node', usage: 'layer node direction bias [description] [relative]' },
  { command: 'askrene-create-layer', usage: 'layer [persistent]' },
  { command: 'askrene-remove-layer', usage: 'layer' },
  { command: 'askrene-listlayers', usage: '[layer]', readOnly: true },
  { command: 'askrene-age', usage: 'layer cutoff' },
];

/** The commands under our own names, which are always offered. */
export const OWN_METHODS: readonly PluginMethod[] = [
  { command: 'getinfo', usage: '', readOnly: true },
  { command: 'help', usage: '[command]', readOnly: true },
  {
    command: 'xkeysend',
    usage:
      'destination amount_msat [label] [maxfee] [layers] [retry_for] [maxdelay] [extratlvs] [idempotency_key] [seed]',
    developerTail: RANDOM_TAIL,
    lastTail: `${NODES_TAIL} [quote] [include_fee] [least_probability_ppm]`,
  },
  {
    command: 'keysend',
    usage: `${KEYSEND_USAGE} [idempotency_key] [seed]`,
    developerTail: RANDOM_TAIL,
    lastTail: NODES_TAIL,
    deprecated: true,
  },
  {
    command: 'plankeysend',
    usage: `${KEYSEND_USAGE} [seed]`,
    developerTail: RANDOM_TAIL,
    lastTail: NODES_TAIL,
    readOnly: true,
  },
  {
    command: 'xpay',
    usage: `${XPAY_USAGE} [idempotency_key] [seed]`,
    developerTail: RANDOM_TAIL,
    lastTail: `${NODES_TAIL} [quote] [include_fee] [least_probability_ppm]`,
  },
  {
    command: 'quote',
    usage:
      'invstring [amount_msat] [maxfee] [confidence_ppm] [expires_in] [hold] [layers] [maxdelay] [nodes] [one_node] [include_fee] [least_probability_ppm]',
  },
  { command: 'listquotes', usage: '[quote_id]', readOnly: true },
  { command: 'delquote', usage: 'quote_id' },
  {
    command: 'planxpay',
    usage: `${XPAY_USAGE} [seed]`,
    developerTail: RANDOM_TAIL,
    lastTail: NODES_TAIL,
    readOnly: true,
  },
  {
    command: 'pay',
    usage:
      'invstring [amount_msat] [label] [riskfactor] [maxfeepercent] [retry_for] [maxdelay] [exemptfee] [localinvreqid] ' +
      '[exclude] [maxfee] [description] [partial_msat] [idempotency_key]',
    developerTail: '[dev_use_shadow]',
  },
  {
    command: 'fetchinvoice',
    usage:
      'offer [amount_msat] [quantity] [recurrence_counter] [recurrence_start] [recurrence_label] [timeout] ' +
      '[payer_note] [payer_metadata] [bip353]',
  },
  {
    command: 'cancelrecurringinvoice',
    usage: 'offer recurrence_counter recurrence_label [recurrence_start] [payer_note] [bip353]',
  },
  { command: 'listpays', usage: LIST_USAGE, readOnly: true },
  { command: 'listsendpays', usage: LIST_USAGE, readOnly: true },
  { command: 'waitsendpay', usage: 'payment_hash [timeout] [partid] [groupid]', readOnly: true },
  {
    command: 'paystatus',
    usage: '[bolt11] [payment_hash] [start] [limit]',
    readOnly: true,
    deprecated: true,
  },
  { command: 'createproof', usage: 'invstring [note] [include]', readOnly: true },
  { command: 'checkproof', usage: 'proof [payment_preimage]', readOnly: true },
  {
    command: 'askrene-score',
    usage: 'path amount_msat layers [final_cltv] [maxfee_msat] [maxdelay]',
    readOnly: true,
  },
  {
    command: 'askrene-difflayers',
    usage:
      'source destination amount_msat layers maxfee_msat final_cltv [with] [without] [compare_layers] [maxdelay] ' +
      '[maxparts]',
    readOnly: true,
  },
  { command: 'backup', usage: 'destination' },
];

/** The parameters of a method as the node shows them. */
export function shownUsage({ usage, developerTail, lastTail }: PluginMethod, isDeveloper: boolean): string {
  const shown = [usage, isDeveloper ? developerTail : undefined, lastTail];
  return shown.filter((part) => part !== undefined).join(' ');
}
