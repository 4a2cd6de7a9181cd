/**
 * The commands of a node: made by `npm run client` from what `rpc.discover` answers, and not by hand.
 *
 * Amounts and other integers of 64 bits are bigint where a JavaScript number cannot hold them. Parameters take
 * what the node reads: an amount also as text, such as `10sat`.
 */

/** By the name of a command, what it takes and what it answers. */
export interface Methods {
  /** Post events of payments to a URL. */
  addwebhook: {
    params: {
      /** An https:// or http:// address. */
      url: string;
      /** Events to post: pending, complete, failed. Default: complete and failed. */
      events?: readonly ('pending' | 'complete' | 'failed')[];
      /** The secret for signatures: `whsec_` and 24 to 64 bytes in base64. Default: a new one. */
      secret?: string;
    };
    result: {
      /** Id of the webhook. */
      readonly webhook_id: string;
      /** Where events are posted. */
      readonly url: string;
      /** Events that are posted. */
      readonly events: readonly string[];
      /** UNIX time. */
      readonly created_at: number | bigint;
      /** The secret for signatures. It is not shown again. */
      readonly secret: string;
    };
  };
  /** Remove old constraints, impressions and biases from a layer. */
  'askrene-age': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** UNIX time in seconds. Entries made at exactly this time are kept. */
      cutoff: number | bigint | string;
    };
    result: {
      /** Name of the layer. */
      readonly layer: string;
      /** Number of entries removed. */
      readonly num_removed: number | bigint;
    };
  };
  /** Make routes prefer or avoid a channel direction. */
  'askrene-bias-channel': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The direction. */
      short_channel_id_dir: string;
      /** From -100 to 100. */
      bias: number | string;
      /** A note of at most 4096 bytes, shown in lists. Each call replaces it. */
      description?: string;
      /** Whether to add the value to the current bias instead of replacing it. */
      relative?: boolean;
    };
    result: {
      /** The entry. Empty if the bias is now 0. */
      readonly biases: readonly {
        readonly layer: string;
        readonly short_channel_id_dir: string;
        readonly bias: number | bigint;
        readonly description?: string;
        readonly timestamp: number | bigint;
      }[];
    };
  };
  /** Make routes prefer or avoid the channels into or out of a node. */
  'askrene-bias-node': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The node. It does not have to be in the graph. */
      node: string;
      /** `in` or `out`. The other direction keeps its value. */
      direction: 'in' | 'out';
      /** From -100 to 100. */
      bias: number | string;
      /** A note of at most 4096 bytes, shown in lists. Each call replaces it. */
      description?: string;
      /** Whether to add the value to the current bias instead of replacing it. */
      relative?: boolean;
    };
    result: {
      /** The entry. Empty if both values are now 0. */
      readonly node_biases: readonly {
        readonly layer: string;
        readonly node: string;
        readonly in_bias: number | bigint;
        readonly out_bias: number | bigint;
        readonly description?: string;
        readonly timestamp: number | bigint;
      }[];
    };
  };
  /** Add a channel to a layer. */
  'askrene-create-channel': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** One end. */
      source: string;
      /** The other end. The order of the two nodes does not matter. */
      destination: string;
      /** Channel id. Must not exist in the layer yet. */
      short_channel_id: string;
      /** Capacity of the channel. */
      capacity_msat: number | bigint | string;
    };
    result: object | string;
  };
  /** Create a layer: a named set of changes to what route requests see. */
  'askrene-create-layer': {
    params: {
      /** Name of the layer. Any text of up to 4096 bytes. */
      layer: string;
      /** Whether to store the layer on disk. Default: false. */
      persistent?: boolean;
    };
    result: {
      /** The layer, as `askrene-listlayers` shows it. */
      readonly layers: readonly {
        readonly layer: string;
        readonly persistent: boolean;
        readonly disabled_nodes: readonly string[];
        readonly disabled_channels?: readonly string[];
        readonly created_channels: readonly {
          readonly source: string;
          readonly destination: string;
          readonly short_channel_id: string;
          readonly capacity_msat: number | bigint;
        }[];
        readonly channel_updates: readonly {
          readonly short_channel_id_dir: string;
          readonly enabled?: boolean;
          readonly htlc_minimum_msat?: number | bigint;
          readonly htlc_maximum_msat?: number | bigint;
          readonly fee_base_msat?: number | bigint;
          readonly fee_proportional_millionths?: number;
          readonly cltv_expiry_delta?: number;
        }[];
        readonly constraints: readonly {
          readonly short_channel_id_dir: string;
          readonly timestamp?: number | bigint;
          readonly maximum_msat?: number | bigint;
          readonly minimum_msat?: number | bigint;
        }[];
        readonly impressions?: readonly {
          readonly short_channel_id_dir: string;
          readonly timestamp: number | bigint;
          readonly amount_msat: number | bigint;
        }[];
        readonly biases: readonly {
          readonly short_channel_id_dir: string;
          readonly bias: number | bigint;
          readonly description?: string;
          readonly timestamp: number | bigint;
        }[];
        readonly node_biases: readonly {
          readonly node: string;
          readonly in_bias: number | bigint;
          readonly out_bias: number | bigint;
          readonly description?: string;
          readonly timestamp: number | bigint;
        }[];
      }[];
    };
  };
  /** Show what layers change in a route request. */
  'askrene-difflayers': {
    params: {
      /** Node the routes start from. */
      source: string;
      /** Node that receives. */
      destination: string;
      /** Amount that the destination receives. */
      amount_msat: number | bigint | string;
      /** Names of layers to apply, in order. */
      layers: readonly string[];
      /** Maximum total fee of all routes. */
      maxfee_msat: number | bigint | string;
      /** CLTV delta of the final hop, in blocks. */
      final_cltv: number | string;
      /** Layer to append. */
      with?: string;
      /** Layer to remove. */
      without?: string;
      /** The list of layers to compare with. */
      compare_layers?: readonly string[];
      /** Maximum number of blocks for which money may be locked on any route, including final_cltv. At most 2016. */
      maxdelay?: number | string;
      /** Maximum number of routes to split the amount into. */
      maxparts?: number | string;
    };
    result: {
      /** layers, then probability_ppm, fee_msat, routes. Without a route: error {code, message, data}. */
      readonly before: {
        readonly layers: readonly string[];
        readonly probability_ppm?: number;
        readonly fee_msat?: number | bigint;
        readonly routes?: readonly {
          readonly probability_ppm: number;
          readonly amount_msat: number | bigint;
          readonly final_cltv: number;
          readonly path: readonly {
            readonly short_channel_id_dir: string;
            readonly next_node_id?: string;
            readonly amount_msat?: number | bigint;
            readonly delay?: number;
            readonly amount_in_msat: number | bigint;
            readonly amount_out_msat: number | bigint;
            readonly node_id_in: string;
            readonly node_id_out: string;
            readonly cltv_in: number;
            readonly cltv_out: number;
          }[];
        }[];
        readonly error?: {
          readonly code: number | bigint;
          readonly message: string;
          readonly data?: unknown;
        };
      };
      /** The same for the second list. */
      readonly after: {
        readonly layers: readonly string[];
        readonly probability_ppm?: number;
        readonly fee_msat?: number | bigint;
        readonly routes?: readonly {
          readonly probability_ppm: number;
          readonly amount_msat: number | bigint;
          readonly final_cltv: number;
          readonly path: readonly {
            readonly short_channel_id_dir: string;
            readonly next_node_id?: string;
            readonly amount_msat?: number | bigint;
            readonly delay?: number;
            readonly amount_in_msat: number | bigint;
            readonly amount_out_msat: number | bigint;
            readonly node_id_in: string;
            readonly node_id_out: string;
            readonly cltv_in: number;
            readonly cltv_out: number;
          }[];
        }[];
        readonly error?: {
          readonly code: number | bigint;
          readonly message: string;
          readonly data?: unknown;
        };
      };
      /** Whether the two results differ. */
      readonly changed: boolean;
      /** Entries of the differing layers that affect either result: layer, kind, and the entry. */
      readonly entries: readonly {
        readonly layer: string;
        readonly kind: string;
        readonly node?: string;
        readonly command_id?: string;
        readonly short_channel_id_dir?: string;
        readonly short_channel_id?: string;
        readonly source?: string;
        readonly destination?: string;
        readonly capacity_msat?: number | bigint;
        readonly amount_msat?: number | bigint;
        readonly timestamp?: number | bigint;
        readonly maximum_msat?: number | bigint;
        readonly minimum_msat?: number | bigint;
        readonly bias?: number | bigint;
        readonly in_bias?: number | bigint;
        readonly out_bias?: number | bigint;
        readonly description?: string;
        readonly enabled?: boolean;
        readonly htlc_minimum_msat?: number | bigint;
        readonly htlc_maximum_msat?: number | bigint;
        readonly fee_base_msat?: number | bigint;
        readonly fee_proportional_millionths?: number;
        readonly cltv_expiry_delta?: number;
      }[];
      /** Total number of such entries. At most 1000 are shown. */
      readonly num_entries: number | bigint;
    };
  };
  /** Disable a node in a layer. */
  'askrene-disable-node': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The node. It does not have to be in the graph. */
      node: string;
    };
    result: object | string;
  };
  /** Record in a layer what a channel direction could or could not carry. */
  'askrene-inform-channel': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The direction. */
      short_channel_id_dir: string;
      /** The amount that the channel carried or should have carried. */
      amount_msat: number | bigint | string;
      /** What happened: constrained, unconstrained or succeeded. */
      inform: 'constrained' | 'unconstrained' | 'succeeded';
    };
    result: {
      /** The record, if it is a minimum or maximum. */
      readonly constraints: readonly {
        readonly short_channel_id_dir: string;
        readonly timestamp?: number | bigint;
        readonly maximum_msat?: number | bigint;
        readonly minimum_msat?: number | bigint;
        readonly layer: string;
      }[];
      /** The record, if liquidity moved. */
      readonly impressions: readonly {
        readonly short_channel_id_dir: string;
        readonly timestamp: number | bigint;
        readonly amount_msat: number | bigint;
        readonly layer: string;
      }[];
    };
  };
  /** Show one layer or all of them. */
  'askrene-listlayers': {
    params: {
      /** Show only this layer. */
      layer?: string;
    };
    result: {
      /** Objects of layer, persistent, disabled_nodes, created_channels, channel_updates, constraints, disabled_channels?, impressions, biases, node_biases. */
      readonly layers: readonly {
        readonly layer: string;
        readonly persistent: boolean;
        readonly disabled_nodes: readonly string[];
        readonly disabled_channels?: readonly string[];
        readonly created_channels: readonly {
          readonly source: string;
          readonly destination: string;
          readonly short_channel_id: string;
          readonly capacity_msat: number | bigint;
        }[];
        readonly channel_updates: readonly {
          readonly short_channel_id_dir: string;
          readonly enabled?: boolean;
          readonly htlc_minimum_msat?: number | bigint;
          readonly htlc_maximum_msat?: number | bigint;
          readonly fee_base_msat?: number | bigint;
          readonly fee_proportional_millionths?: number;
          readonly cltv_expiry_delta?: number;
        }[];
        readonly constraints: readonly {
          readonly short_channel_id_dir: string;
          readonly timestamp?: number | bigint;
          readonly maximum_msat?: number | bigint;
          readonly minimum_msat?: number | bigint;
        }[];
        readonly impressions?: readonly {
          readonly short_channel_id_dir: string;
          readonly timestamp: number | bigint;
          readonly amount_msat: number | bigint;
        }[];
        readonly biases: readonly {
          readonly short_channel_id_dir: string;
          readonly bias: number | bigint;
          readonly description?: string;
          readonly timestamp: number | bigint;
        }[];
        readonly node_biases: readonly {
          readonly node: string;
          readonly in_bias: number | bigint;
          readonly out_bias: number | bigint;
          readonly description?: string;
          readonly timestamp: number | bigint;
        }[];
      }[];
    };
  };
  /** Show the global reservations. */
  'askrene-listreservations': {
    params: Record<string, never>;
    result: {
      /** Objects of short_channel_id_dir, amount_msat, age_in_seconds and command_id (the id of the request that made the reservation). */
      readonly reservations: readonly {
        readonly short_channel_id_dir: string;
        readonly amount_msat: number | bigint;
        readonly age_in_seconds: number | bigint;
        readonly command_id: string;
      }[];
    };
  };
  /** Remove the overrides of a channel direction from a layer. */
  'askrene-remove-channel-update': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The direction. */
      short_channel_id_dir: string;
    };
    result: object | string;
  };
  /** Remove a layer. */
  'askrene-remove-layer': {
    params: {
      /** Name of the layer. */
      layer: string;
    };
    result: object | string;
  };
  /** Reserve amounts on channel directions while they are in flight. */
  'askrene-reserve': {
    params: {
      /** Objects of short_channel_id_dir, amount_msat (the amount carried by the channel) and optionally layer. */
      path: readonly {
        readonly short_channel_id_dir: string;
        readonly amount_msat: number | bigint | string;
        readonly layer?: string;
      }[];
    };
    result: object | string;
  };
  /** Score a given route. */
  'askrene-score': {
    params: {
      /** Hops from the source to the destination, as short_channel_id_dir or as objects that have one. */
      path: readonly unknown[];
      /** Amount that the destination receives. */
      amount_msat: number | bigint | string;
      /** Names of layers to apply, in order. */
      layers: readonly string[];
      /** CLTV delta of the final hop, in blocks. */
      final_cltv?: number | string;
      /** Maximum fee: exceeding it is a fault. */
      maxfee_msat?: number | bigint | string;
      /** Maximum number of blocks for which money may be locked: exceeding it is a fault. */
      maxdelay?: number | string;
    };
    result: {
      /** Probability that all hops can carry their amounts. 0 if one cannot. */
      readonly probability_ppm: number;
      /** What arrives. */
      readonly amount_msat: number | bigint;
      /** Amount sent, including fees. */
      readonly amount_sent_msat: number | bigint;
      /** The fees. */
      readonly fee_msat: number | bigint;
      /** Maximum number of blocks for which money may be locked, including final_cltv. */
      readonly delay: number;
      /** Objects of fault (disabled, below_htlc_minimum, above_htlc_maximum, too_little_liquidity, fee, delay, hops, loop), hop?, short_channel_id_dir?, limit_msat?, limit?. */
      readonly faults: readonly {
        readonly fault:
          | 'disabled'
          | 'below_htlc_minimum'
          | 'above_htlc_maximum'
          | 'too_little_liquidity'
          | 'fee'
          | 'delay'
          | 'hops'
          | 'loop';
        readonly hop?: number;
        readonly short_channel_id_dir?: string;
        readonly limit_msat?: number | bigint;
        readonly limit?: number;
      }[];
      /** Hops as `getroutes` shows them, each with its probability, bounds and policy. */
      readonly path: readonly {
        readonly short_channel_id_dir: string;
        readonly node_id_in: string;
        readonly node_id_out: string;
        readonly amount_in_msat: number | bigint;
        readonly amount_out_msat: number | bigint;
        readonly cltv_in: number;
        readonly cltv_out: number;
        readonly probability_ppm: number;
        readonly enabled: boolean;
        readonly capacity_msat: number | bigint;
        readonly minimum_msat: number | bigint;
        readonly maximum_msat: number | bigint;
        readonly htlc_minimum_msat: number | bigint;
        readonly htlc_maximum_msat: number | bigint;
        readonly fee_base_msat: number | bigint;
        readonly fee_proportional_millionths: number;
        readonly cltv_expiry_delta: number;
        readonly bias: number | bigint;
      }[];
    };
  };
  /** Release reserved amounts. */
  'askrene-unreserve': {
    params: {
      /** Objects of short_channel_id_dir, amount_msat and optionally layer. */
      path: readonly {
        readonly short_channel_id_dir: string;
        readonly amount_msat: number | bigint | string;
        readonly layer?: string;
      }[];
    };
    result: object | string;
  };
  /** Override the policy of a channel direction in a layer. */
  'askrene-update-channel': {
    params: {
      /** Name of the layer. */
      layer: string;
      /** The direction. */
      short_channel_id_dir: string;
      /** Whether the direction can be used. */
      enabled?: boolean;
      /** Minimum amount of one HTLC. */
      htlc_minimum_msat?: number | bigint | string;
      /** Maximum amount of one HTLC. */
      htlc_maximum_msat?: number | bigint | string;
      /** Fee per HTLC. */
      fee_base_msat?: number | bigint | string;
      /** Fee in millionths of the amount. */
      fee_proportional_millionths?: number | string;
      /** Blocks of delay. */
      cltv_expiry_delta?: number | string;
    };
    result: object | string;
  };
  /** Copy the database and the keys to a new directory while the service runs. */
  backup: {
    params: {
      /** Absolute path of the directory to create. */
      destination: string;
    };
    result: {
      /** Path of the copy of the database. */
      readonly database: string;
      /** Size of the copy of the database, in bytes. */
      readonly bytes: number | bigint;
    };
  };
  /** Allow database commits of this connection to be batched. */
  batching: {
    params: {
      /** Whether commits may be batched. */
      enable: boolean;
    };
    result: object | string;
  };
  /** Blacklist runes, or remove them from the blacklist. */
  blacklistrune: {
    params: {
      /** The first unique_id. Without it, the command only shows the blacklist. */
      start?: number | bigint | string;
      /** The last unique_id. Without it, only the first. */
      end?: number | bigint | string;
      /** Whether to remove them from the blacklist instead. */
      relist?: boolean;
    };
    result: {
      /** Ranges of unique_id, in ascending order: start, end. */
      readonly blacklist: readonly {
        readonly start: number | bigint;
        readonly end: number | bigint;
      }[];
    };
  };
  /** Cancel a series of recurring invoices. */
  cancelrecurringinvoice: {
    params: {
      /** The offer, `lno1…`. */
      offer: string;
      /** Counter of the first period to cancel, at least 1. */
      recurrence_counter: number | bigint | string;
      /** Label of the series, as given to `fetchinvoice`. */
      recurrence_label: string | number;
      /** First period of the series. Only for offers with a base. */
      recurrence_start?: number | bigint | string;
      /** A note for the issuer. */
      payer_note?: string;
      /** The human-readable name (BIP 353) that the offer was resolved from. */
      bip353?: string;
    };
    result: {
      /** The invoice request that was sent, `lnr1…`. */
      readonly bolt12: string;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Check the parameters of a command without running it. */
  check: {
    params: {
      /** The command to check. */
      command_to_check: string;
    };
    result: {
      /** The command whose parameters are valid. */
      readonly command_to_check: string;
    };
  };
  /** Verify a proof that an invoice was paid. */
  checkproof: {
    params: {
      /** The payer proof, or the BOLT 11 invoice. */
      proof: string;
      /** The preimage that belongs to a BOLT 11 invoice. */
      payment_preimage?: string;
    };
    result: {
      /** Whether the invoice was paid. */
      readonly valid: boolean;
      /** Why the proof is invalid. */
      readonly reason?: string;
      /** `bolt12 payer proof` or `bolt11 invoice`. */
      readonly type?: string;
      /** The payment hash that the node signed. */
      readonly payment_hash?: string;
      /** The preimage of the payment hash. */
      readonly payment_preimage?: string;
      /** The node that signed the invoice. */
      readonly node_id?: string;
      /** The key of the payer, which signed the proof. */
      readonly payer_id?: string;
      /** The amount that the invoice asked for. */
      readonly amount_msat?: number | bigint;
      /** The description in the invoice. */
      readonly description?: string;
      /** UNIX time of the invoice. */
      readonly created_at?: number | bigint;
      /** The note that the payer signed. */
      readonly note?: string;
    };
  };
  /** Check whether a rune permits a request. */
  checkrune: {
    params: {
      /** The rune. */
      rune: string;
      /** The node that makes the request. */
      nodeid?: string;
      /** The command that is called. */
      method?: string;
      /** Its parameters. */
      params?: Readonly<Record<string, unknown>> | readonly unknown[];
    };
    result: {
      /** Always `true`. */
      readonly valid: boolean;
    };
  };
  /** Connect to a peer. */
  connect: {
    params: {
      /** The node id, or `ID@HOST:PORT`. */
      id: string;
      /** Host name or address. */
      host?: string;
      /** TCP port, default 9735. */
      port?: number | string;
    };
    result: {
      /** The peer. */
      readonly id: string;
      /** Feature bits (BOLT 9) of the peer. */
      readonly features: string;
      /** Who opened the connection: `out` we did, `in` the peer did. */
      readonly direction: string;
      /** The peer's end of the connection: type, address, port. On a simulated network it is derived from the node id. */
      readonly address: {
        readonly type: 'dns' | 'ipv4' | 'ipv6' | 'torv2' | 'torv3' | 'local socket';
        readonly address?: string;
        readonly socket?: string;
        readonly port?: number;
      };
    };
  };
  /** Prove that an invoice was paid. */
  createproof: {
    params: {
      /** The BOLT 11 or BOLT 12 invoice, or the offer or name (BIP 353) for which it was fetched. */
      invstring: string;
      /** A text to sign as well, for example one chosen by the verifier. */
      note?: string;
      /** Fields to include if present in the invoice, by name or number. Default: offer_description, offer_issuer_id, invoice_created_at and invoice_amount. Always included: invreq_payer_id, invoice_payment_hash, invoice_features, invoice_node_id and signature. */
      include?: readonly (string | number | bigint)[];
    };
    result: {
      /** Objects of bolt12, offer_fields_included, invreq_fields_included and invoice_fields_included; or of bolt11 and payment_preimage. One for each complete payment. */
      readonly proofs: readonly {
        readonly bolt12?: string;
        readonly offer_fields_included?: readonly unknown[];
        readonly invreq_fields_included?: readonly unknown[];
        readonly invoice_fields_included?: readonly unknown[];
        readonly bolt11?: string;
        readonly payment_preimage?: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Create a rune that permits its holder to call commands over HTTP. */
  createrune: {
    params: {
      /** A rune to restrict further. Without it, a new one is created and stored. */
      rune?: string;
      /** `readonly`, or an array of restrictions, each an array of alternatives. Without restrictions, the rune permits everything. */
      restrictions?: 'readonly' | readonly (readonly string[])[];
      /** Permit every method that the attached node executes, such as `withdraw`, within the restrictions. Only for a new rune, made at the socket or with a rune that has `forward` itself. */
      forward?: boolean;
    };
    result: {
      /** The rune: a secret. */
      readonly rune: string;
      /** The id of the rune, for `blacklistrune`. */
      readonly unique_id: string;
      /** Present if the rune permits everything. */
      readonly warning_unrestricted_rune?: string;
    };
  };
  /** Decode an offer, an invoice request, or an invoice. */
  decode: {
    params: {
      /** The text to decode. */
      string: string;
    };
    result: {
      /** `bolt12 offer`, `bolt12 invoice_request`, `bolt12 invoice`, `bolt11 invoice`. */
      readonly type: string;
      /** Whether it can be used. */
      readonly valid: boolean;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_id?: string;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_chains?: readonly string[];
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_metadata?: string;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_currency?: string;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly currency_minor_unit?: number;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_amount?: number | bigint;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_amount_msat?: number | bigint;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_description?: string;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_issuer?: string;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_features?: string;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_absolute_expiry?: number | bigint;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_paths?: readonly {
        readonly first_node_id?: string;
        readonly first_scid?: string;
        readonly first_scid_dir?: number;
        readonly first_path_key: string;
        readonly payinfo?: {
          readonly fee_base_msat: number | bigint;
          readonly fee_proportional_millionths: number;
          readonly cltv_expiry_delta: number;
          readonly htlc_minimum_msat: number | bigint;
          readonly htlc_maximum_msat: number | bigint;
          readonly features: string;
        };
        readonly path: readonly {
          readonly blinded_node_id: string;
          readonly encrypted_recipient_data: string;
        }[];
      }[];
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_quantity_max?: number | bigint;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_recurrence?: {
        readonly compulsory_field?: boolean;
        readonly time_unit: number;
        readonly time_unit_name: 'seconds' | 'days' | 'months';
        readonly period: number;
        readonly basetime?: number | bigint;
        readonly proportional_amount?: boolean;
        readonly limit?: number;
        readonly paywindow?: {
          readonly seconds_before: number;
          readonly seconds_after: number;
        };
      };
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly offer_issuer_id?: string;
      /** Fields of the offer; also in invoice requests and invoices (BOLT 12). */
      readonly unknown_offer_tlvs?: readonly {
        readonly type: number | bigint;
        readonly length: number | bigint;
        readonly value: string;
      }[];
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_metadata?: string;
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_payer_id?: string;
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_chain?: string;
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_amount_msat?: number | bigint;
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_features?: string;
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_quantity?: number | bigint;
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_payer_note?: string;
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_paths?: readonly {
        readonly first_node_id?: string;
        readonly first_scid?: string;
        readonly first_scid_dir?: number;
        readonly first_path_key: string;
        readonly payinfo?: {
          readonly fee_base_msat: number | bigint;
          readonly fee_proportional_millionths: number;
          readonly cltv_expiry_delta: number;
          readonly htlc_minimum_msat: number | bigint;
          readonly htlc_maximum_msat: number | bigint;
          readonly features: string;
        };
        readonly path: readonly {
          readonly blinded_node_id: string;
          readonly encrypted_recipient_data: string;
        }[];
      }[];
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_bip_353_name?: {
        readonly name?: string;
        readonly domain?: string;
      };
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_recurrence_counter?: number;
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_recurrence_start?: number;
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly invreq_recurrence_cancel?: boolean;
      /** Fields of the invoice request; also in the invoice (BOLT 12). */
      readonly unknown_invoice_request_tlvs?: readonly {
        readonly type: number | bigint;
        readonly length: number | bigint;
        readonly value: string;
      }[];
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly invoice_paths?: readonly {
        readonly first_node_id?: string;
        readonly first_scid?: string;
        readonly first_scid_dir?: number;
        readonly first_path_key: string;
        readonly payinfo?: {
          readonly fee_base_msat: number | bigint;
          readonly fee_proportional_millionths: number;
          readonly cltv_expiry_delta: number;
          readonly htlc_minimum_msat: number | bigint;
          readonly htlc_maximum_msat: number | bigint;
          readonly features: string;
        };
        readonly path: readonly {
          readonly blinded_node_id: string;
          readonly encrypted_recipient_data: string;
        }[];
      }[];
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly invoice_created_at?: number | bigint;
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly invoice_relative_expiry?: number;
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly invoice_payment_hash?: string;
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly invoice_amount_msat?: number | bigint;
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly invoice_fallbacks?: readonly {
        readonly version: number;
        readonly hex: string;
        readonly address?: string;
        readonly warning_invalid_invoice_fallbacks_version?: string;
        readonly warning_invalid_invoice_fallbacks_address?: string;
      }[];
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly invoice_features?: string;
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly invoice_node_id?: string;
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly invoice_recurrence_basetime?: number | bigint;
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly signature?: string;
      /** Fields of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature. */
      readonly unknown_invoice_tlvs?: readonly {
        readonly type: number | bigint;
        readonly length: number | bigint;
        readonly value: string;
      }[];
      /** Fields of a BOLT 11 invoice. */
      readonly currency?: string;
      /** Fields of a BOLT 11 invoice. */
      readonly created_at?: number | bigint;
      /** Fields of a BOLT 11 invoice. */
      readonly expiry?: number | bigint;
      /** Fields of a BOLT 11 invoice. */
      readonly payee?: string;
      /** Fields of a BOLT 11 invoice. */
      readonly amount_msat?: number | bigint;
      /** Fields of a BOLT 11 invoice. */
      readonly description?: string;
      /** Fields of a BOLT 11 invoice. */
      readonly description_hash?: string;
      /** Fields of a BOLT 11 invoice. */
      readonly min_final_cltv_expiry?: number;
      /** Fields of a BOLT 11 invoice. */
      readonly payment_secret?: string;
      /** Fields of a BOLT 11 invoice. */
      readonly features?: string;
      /** Fields of a BOLT 11 invoice. */
      readonly payment_metadata?: string;
      /** Fields of a BOLT 11 invoice. */
      readonly fallbacks?: readonly {
        readonly type: string;
        readonly addr?: string;
        readonly hex: string;
      }[];
      /** Fields of a BOLT 11 invoice. */
      readonly routes?: readonly (readonly {
        readonly pubkey: string;
        readonly short_channel_id: string;
        readonly fee_base_msat: number | bigint;
        readonly fee_proportional_millionths: number;
        readonly cltv_expiry_delta: number;
      }[])[];
      /** Fields of a BOLT 11 invoice. */
      readonly extra?: readonly {
        readonly tag: string;
        readonly data: string;
      }[];
      /** Fields of a BOLT 11 invoice. */
      readonly payment_hash?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_unknown_offer_currency?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_missing_offer_description?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_missing_invreq_metadata?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_missing_invreq_payer_id?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_missing_invoice_request_signature?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_invalid_invoice_request_signature?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_missing_invoice_recurrence_basetime?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_empty_blinded_path?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_invreq_bip_353_name_name_invalid?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_invreq_bip_353_name_domain_invalid?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_invreq_recurrence_cancel_without_counter?: string;
      /** Why the text cannot be used, or what is unusual about it. */
      readonly warning_invreq_recurrence_cancel_with_zero_counter?: string;
    };
  };
  /** Delete a completed or failed payment. */
  delpay: {
    params: {
      /** Payment hash of the payment. */
      payment_hash: string;
      /** Its state. */
      status: 'complete' | 'failed';
      /** Only this part. Requires groupid. */
      partid?: number | bigint | string;
      /** Only this group of parts. Requires partid. */
      groupid?: number | bigint | string;
    };
    result: {
      /** The deleted attempts, in the form of `listsendpays`. */
      readonly payments: readonly {
        readonly created_index: number | bigint;
        readonly id: number | bigint;
        readonly payment_hash: string;
        readonly groupid: number | bigint;
        readonly updated_index?: number | bigint;
        readonly partid?: number | bigint;
        readonly node?: string;
        readonly destination?: string;
        readonly amount_msat?: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly created_at: number | bigint;
        readonly completed_at?: number | bigint;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly payment_preimage?: string;
        readonly label?: string;
        readonly bolt11?: string;
        readonly bolt12?: string;
        readonly description?: string;
        readonly invreq_payer_note?: string;
        readonly invreq_id?: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Remove a quote and free what it holds. */
  delquote: {
    params: {
      /** Id of the quote. */
      quote_id: string;
    };
    result: {
      /** Pass it to `xpay` or `xkeysend` as `quote`. */
      readonly quote_id: string;
      /** The command that pays it: `xpay` for an invoice, `xkeysend` for a node. */
      readonly command: string;
      /** The invoice or node id. */
      readonly invstring: string;
      /** Amount the recipient gets. */
      readonly amount_msat: number | bigint;
      /** Expected fee. */
      readonly fee_msat: number | bigint;
      /** Binding fee limit: the payment costs at most this, or does not happen. */
      readonly maxfee_msat: number | bigint;
      /** Share of the payments that can complete which complete within the limit. */
      readonly confidence_ppm: number;
      /** Probability that the payment completes within the limit. */
      readonly probability_ppm: number;
      /** Number of parts of the first attempt. */
      readonly parts: number;
      /** What the quote holds in our own channels. */
      readonly held_msat: number | bigint;
      /** UNIX time. */
      readonly created_at: number | bigint;
      /** UNIX time. */
      readonly expires_at: number | bigint;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Remove a webhook and the events that wait for it. */
  delwebhook: {
    params: {
      /** Id of the webhook. */
      webhook_id: string;
    };
    result: {
      /** Id of the webhook. */
      readonly webhook_id: string;
      /** Where events are posted. */
      readonly url: string;
      /** Events that are posted. */
      readonly events: readonly string[];
      /** UNIX time. */
      readonly created_at: number | bigint;
    };
  };
  /** Allow or refuse deprecated commands on this connection. */
  deprecations: {
    params: {
      /** Whether to allow deprecated commands. */
      enable: boolean;
    };
    result: object | string;
  };
  /** Blacklist runes, or remove them from the blacklist. */
  destroyrune: {
    params: {
      /** The first unique_id. Without it, the command only shows the blacklist. */
      start?: number | bigint | string;
      /** The last unique_id. Without it, only the first. */
      end?: number | bigint | string;
      /** Whether to remove them from the blacklist instead. */
      relist?: boolean;
    };
    result: {
      /** Ranges of unique_id, in ascending order: start, end. */
      readonly blacklist: readonly {
        readonly start: number | bigint;
        readonly end: number | bigint;
      }[];
    };
  };
  /** Disable an invoice request. */
  disableinvoicerequest: {
    params: {
      /** The request’s id. */
      invreq_id: string;
    };
    result: {
      /** SHA-256 of the request. */
      readonly invreq_id: string;
      /** False. */
      readonly active: boolean;
      /** Whether we would pay only once. */
      readonly single_use: boolean;
      /** The request, `lnr1…`. */
      readonly bolt12: string;
      /** Whether an invoice for it was paid. */
      readonly used: boolean;
      /** The label given at creation. */
      readonly label?: string;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Disable an offer. */
  disableoffer: {
    params: {
      /** The offer’s id. */
      offer_id: string;
    };
    result: {
      /** SHA-256 of the offer. */
      readonly offer_id: string;
      /** False. */
      readonly active: boolean;
      /** Whether the first payment would close it. */
      readonly single_use: boolean;
      /** The offer, `lno1…`. */
      readonly bolt12: string;
      /** False. */
      readonly force_paths: boolean;
      /** Whether it has been paid. */
      readonly used: boolean;
      /** The label given at creation. */
      readonly label?: string;
      /** The offer’s description. */
      readonly description?: string;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Disconnect a peer. */
  disconnect: {
    params: {
      /** The peer. */
      id: string;
      /** Whether to disconnect a peer that we have a channel with. */
      force?: boolean;
    };
    result: object | string;
  };
  /** Create a link to the web page of this node. */
  explorer: {
    params: Record<string, never>;
    result: {
      /** The link: a secret until it is opened or expires. */
      readonly url: string;
      /** The id of its rune, for `blacklistrune`. */
      readonly unique_id: string;
      /** UNIX time in seconds at which the rune expires. */
      readonly valid_until: number | bigint;
      /** UNIX time in seconds at which the link expires. */
      readonly link_valid_until: number | bigint;
    };
  };
  /** Export what attempts taught about the odds of attempts. */
  exportlearned: {
    params: Record<string, never>;
    result: {
      /** The chain. */
      readonly chain: string;
      /** Whether it was learned on a simulated network. */
      readonly simulated_network: boolean;
      /** UNIX time. */
      readonly exported_at: number | bigint;
      /** version, observed, weights, correction and nodes of the model. */
      readonly state: {
        readonly version: number;
        readonly observed: number | bigint;
        readonly weights: readonly number[];
        readonly correction: {
          readonly slope: number;
          readonly offset: number;
          readonly precision: readonly number[];
        };
        readonly nodes: readonly (readonly unknown[])[];
      };
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Fetch an invoice for an offer. */
  fetchinvoice: {
    params: {
      /** The offer, `lno1…`. */
      offer: string;
      /** Amount to pay. Required when the offer names no amount. */
      amount_msat?: number | bigint | string;
      /** Number of items. Required if the offer has quantity_max, refused otherwise. */
      quantity?: number | bigint | string;
      /** Required for recurring offers. 0 for the first invoice of the series, incremented for each later one. */
      recurrence_counter?: number | bigint | string;
      /** First period of the series. Only for offers with a base. Usually 0. */
      recurrence_start?: number | bigint | string;
      /** Identifies the invoices of one series. Required with a counter. */
      recurrence_label?: string | number;
      /** Maximum number of seconds to wait for the result. */
      timeout?: number | bigint | string;
      /** A note for the issuer. The invoice repeats it. */
      payer_note?: string;
      /** Text or hex from which the payer id is derived. Keep it secret. Default: random. */
      payer_metadata?: string;
      /** The human-readable name (BIP 353) that the offer was resolved from. */
      bip353?: string;
    };
    result: {
      /** The invoice, `lni1…`. */
      readonly invoice: string;
      /** Differences from the offer. Empty if there are none. */
      readonly changes: {
        readonly description_appended?: string;
        readonly description?: string;
        readonly vendor_removed?: string;
        readonly vendor?: string;
        readonly amount_msat?: number | bigint;
        readonly next_period?: {
          readonly counter: number | bigint;
          readonly starttime: number | bigint;
          readonly endtime: number | bigint;
          readonly paywindow_start: number | bigint;
          readonly paywindow_end: number | bigint;
        };
      };
      /** When the next invoice may be fetched. The same as in `changes`. */
      readonly next_period?: {
        readonly counter: number | bigint;
        readonly starttime: number | bigint;
        readonly endtime: number | bigint;
        readonly paywindow_start: number | bigint;
        readonly paywindow_end: number | bigint;
      };
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show information about this node. */
  getinfo: {
    params: Record<string, never>;
    result: {
      /** Our node id. */
      readonly id: string;
      /** Our alias. */
      readonly alias: string;
      /** Our colour: red, green, blue. */
      readonly color: string;
      /** Peers that are connected or have a channel with us. */
      readonly num_peers: number;
      /** Channels being opened. */
      readonly num_pending_channels: number;
      /** Channels that can carry payments. */
      readonly num_active_channels: number;
      /** Channels whose peer is disconnected, or that are closing. */
      readonly num_inactive_channels: number;
      /** Addresses we announce. */
      readonly address: readonly {
        readonly type: 'dns' | 'ipv4' | 'ipv6' | 'torv2' | 'torv3' | 'local socket';
        readonly address?: string;
        readonly socket?: string;
        readonly port?: number;
      }[];
      /** Addresses we listen on. */
      readonly binding: readonly {
        readonly type: 'dns' | 'ipv4' | 'ipv6' | 'torv2' | 'torv3' | 'local socket';
        readonly address?: string;
        readonly socket?: string;
        readonly port?: number;
      }[];
      /** Version of this software. */
      readonly version: string;
      /** Current block height. 0 while unknown. */
      readonly blockheight: number;
      /** Name of the chain. */
      readonly network: string;
      /** The network that this node uses: `simulated`, a simulated network without real money; `peer`, connections to real peers; `none`, routes and layers only; `cln` or `lnd`, an attached Core Lightning or LND node with real money; `several`, several such nodes. */
      readonly network_kind: string;
      /** Fees earned by forwarding. Absent where the attached node does not say. */
      readonly fees_collected_msat?: number | bigint;
      /** The data directory. */
      readonly 'lightning-dir': string;
      /** Only with `--network peer`. The chain source used to verify channels: `bitcoind`, `esplora` or `unchecked`. */
      readonly gossip_check?: string;
      /** Present if channels are unchecked. Says how far channels and height can be trusted. */
      readonly warning_gossip_check?: string;
      /** The attached node: its implementation, id and version, and whether our plugin runs in it. The channels, funds and id shown here are those of the attached node. */
      readonly node_behind?: {
        readonly kind: string;
        readonly id: string;
        readonly version: string;
      };
      /** Why the attached node cannot pay at the moment. */
      readonly warning_node_behind?: string;
      /** Names of our nodes, if there are several (see `listournodes`). The id shown here is that of the first one. */
      readonly our_nodes?: readonly string[];
      /** Source of route queries over all our nodes, with `auto.purse`. */
      readonly purse_id?: string;
      /** Why new payments are refused: a failover of the shared database may have lost payments. */
      readonly warning_doubt?: string;
      /** Feature bits that we set in init, node, channel and invoice, in hex. */
      readonly our_features: {
        readonly init: string;
        readonly node: string;
        readonly channel: string;
        readonly invoice: string;
      };
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show the last lines of the log. */
  getlog: {
    params: {
      /** Minimum level of the lines to show. */
      level?: 'io' | 'trace' | 'debug' | 'info' | 'unusual' | 'broken';
    };
    result: {
      /** Start of the log: UNIX seconds with nine decimals. */
      readonly created_at: string;
      /** Number of characters of the lines kept. */
      readonly bytes_used: number;
      /** Maximum number of characters of the lines kept. */
      readonly bytes_max: number;
      /** Lines, oldest first: type (BROKEN, UNUSUAL, INFO, DEBUG), time, source, log, and fields with values for programs; or type SKIPPED with num_skipped. */
      readonly log: readonly {
        readonly type: 'SKIPPED' | 'BROKEN' | 'UNUSUAL' | 'INFO' | 'DEBUG' | 'TRACE';
        readonly num_skipped?: number;
        readonly time?: string;
        readonly source?: string;
        readonly log?: string;
        readonly fields?: Readonly<Record<string, unknown>>;
      }[];
    };
  };
  /** Show the metrics of this node. */
  getmetrics: {
    params: Record<string, never>;
    result: {
      /** Media type of the text. */
      readonly content_type: string;
      /** The text. */
      readonly metrics: string;
    };
  };
  /** Show one payment: its attempts, what was learned from each, and how long money may be locked. */
  getpayment: {
    params: {
      /** The payment. */
      payment_hash: string;
    };
    result: {
      /** Empty if no payment has this hash. */
      readonly payments: readonly {
        readonly id: string;
        readonly created_index: number | bigint;
        readonly command: 'keysend' | 'xkeysend' | 'xpay' | 'pay';
        readonly payment_hash: string;
        readonly destination: string;
        readonly amount_msat: number | bigint;
        readonly label?: string;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly created_at: number;
        readonly completed_at?: number;
        readonly maxfee_msat: number | bigint;
        readonly maxdelay: number;
        readonly retry_for: number;
        readonly layers: readonly string[];
        readonly seed: number | bigint;
        readonly failure?: {
          readonly code: number | bigint;
          readonly message: string;
          readonly data?: unknown;
        };
        readonly attempts: readonly {
          readonly id: number | bigint;
          readonly status: 'pending' | 'complete' | 'failed';
          readonly failreason?: string;
          readonly partid: number | bigint;
          readonly amount_msat: number | bigint;
          readonly amount_sent_msat: number | bigint;
          readonly probability_ppm: number;
          readonly created_at: number;
          readonly completed_at?: number;
          readonly route: readonly {
            readonly short_channel_id_dir: string;
            readonly id: string;
            readonly amount_msat: number | bigint;
            readonly delay: number;
          }[];
          readonly failure?: {
            readonly erring_index?: number;
            readonly failcode?: number;
            readonly failcodename?: string;
            readonly erring_node?: string;
            readonly erring_channel?: string;
            readonly erring_direction?: number;
            readonly raw_message?: string;
          };
          readonly expiry_height: number;
          readonly learned: readonly {
            readonly kind:
              | 'delivered'
              | 'carried'
              | 'blocked'
              | 'refused'
              | 'policy'
              | 'minimum'
              | 'suspect_channel'
              | 'avoid_channel'
              | 'avoid_node'
              | 'other';
            readonly text: string;
            readonly node?: string;
            readonly short_channel_id_dir?: string;
            readonly capacity_msat?: number | bigint;
            readonly amount_msat?: number | bigint;
            readonly before?: {
              readonly minimum_msat: number | bigint;
              readonly maximum_msat: number | bigint;
            };
            readonly after?: {
              readonly minimum_msat: number | bigint;
              readonly maximum_msat: number | bigint;
            };
          }[];
        }[];
        readonly simulated?: boolean;
      }[];
      /** Current block height, to compare with `expiry_height`. */
      readonly blockheight: number;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Find routes for a payment. */
  getroutes: {
    params: {
      /** Node the routes start from. */
      source: string;
      /** Node that receives. */
      destination: string;
      /** Amount that the destination receives. */
      amount_msat: number | bigint | string;
      /** Names of layers to apply, in order. */
      layers: readonly string[];
      /** Maximum total fee of all routes. */
      maxfee_msat: number | bigint | string;
      /** CLTV delta of the final hop, in blocks. */
      final_cltv: number | string;
      /** Maximum number of blocks for which money may be locked on any route, including final_cltv. At most 2016. */
      maxdelay?: number | string;
      /** Maximum number of routes to split the amount into. */
      maxparts?: number | string;
      /** Whether to also return the Pareto front of fee and probability. */
      pareto?: boolean;
      /** Only from our node back to itself: the channels by which money may leave. Default: all. */
      source_channels?: readonly string[];
      /** Only from our node back to itself: the channels by which money may come back. Default: all. */
      destination_channels?: readonly string[];
    };
    result: {
      /** Probability that all routes succeed, in parts per million. */
      readonly probability_ppm: number;
      /** Objects of probability_ppm, amount_msat delivered, final_cltv, and path, hop by hop. */
      readonly routes: readonly {
        readonly probability_ppm: number;
        readonly amount_msat: number | bigint;
        readonly final_cltv: number;
        readonly path: readonly {
          readonly short_channel_id_dir: string;
          readonly next_node_id?: string;
          readonly amount_msat?: number | bigint;
          readonly delay?: number;
          readonly amount_in_msat: number | bigint;
          readonly amount_out_msat: number | bigint;
          readonly node_id_in: string;
          readonly node_id_out: string;
          readonly cltv_in: number;
          readonly cltv_out: number;
        }[];
      }[];
      /** Present only if a better answer may exist: the search budget ran out, or the probability is below 37 % and the answer is not proven to be within 1 % of the optimum. The budget counts work, not time, so that results are reproducible. cost_msat is the total cost of these routes: fee, risk, delay and parts. least_cost_msat is a lower bound of the cost of any answer. */
      readonly unfinished?: {
        readonly cost_msat: number | bigint;
        readonly least_cost_msat: number | bigint;
      };
      /** With `pareto`: answers with different trade-offs of fee and probability, from the cheapest to the most likely. Objects of fee_msat, probability_ppm, routes, and optionally unfinished. */
      readonly front?: readonly {
        readonly fee_msat: number | bigint;
        readonly probability_ppm: number;
        readonly routes: readonly {
          readonly probability_ppm: number;
          readonly amount_msat: number | bigint;
          readonly final_cltv: number;
          readonly path: readonly {
            readonly short_channel_id_dir: string;
            readonly next_node_id?: string;
            readonly amount_msat?: number | bigint;
            readonly delay?: number;
            readonly amount_in_msat: number | bigint;
            readonly amount_out_msat: number | bigint;
            readonly node_id_in: string;
            readonly node_id_out: string;
            readonly cltv_in: number;
            readonly cltv_out: number;
          }[];
        }[];
        readonly unfinished?: {
          readonly cost_msat: number | bigint;
          readonly least_cost_msat: number | bigint;
        };
      }[];
    };
  };
  /** Find routes for many payments. */
  'getroutes-batch': {
    params: {
      /** Node the routes start from. */
      source: string;
      /** Objects of destination, amount_msat, and optionally source, maxfee_msat, final_cltv, maxdelay and maxparts. */
      requests: readonly {
        readonly source?: string;
        readonly destination: string;
        readonly amount_msat: number | bigint | string;
        readonly maxfee_msat?: number | bigint | string;
        readonly final_cltv?: number;
        readonly maxdelay?: number;
        readonly maxparts?: number;
      }[];
      /** Names of layers to apply, in order. */
      layers: readonly string[];
      /** Maximum total fee of all routes. */
      maxfee_msat: number | bigint | string;
      /** CLTV delta of the final hop, in blocks. */
      final_cltv?: number | string;
      /** Maximum number of blocks for which money may be locked on any route, including final_cltv. At most 2016. */
      maxdelay?: number | string;
      /** Maximum number of routes to split the amount into. */
      maxparts?: number | string;
    };
    result: {
      /** One object per request: destination, amount_msat, and either probability_ppm and routes as in `getroutes`, or error {code, message, data}. */
      readonly answers: readonly {
        readonly destination: string;
        readonly amount_msat: number | bigint;
        readonly probability_ppm?: number;
        readonly routes?: readonly {
          readonly probability_ppm: number;
          readonly amount_msat: number | bigint;
          readonly final_cltv: number;
          readonly path: readonly {
            readonly short_channel_id_dir: string;
            readonly next_node_id?: string;
            readonly amount_msat?: number | bigint;
            readonly delay?: number;
            readonly amount_in_msat: number | bigint;
            readonly amount_out_msat: number | bigint;
            readonly node_id_in: string;
            readonly node_id_out: string;
            readonly cltv_in: number;
            readonly cltv_out: number;
          }[];
        }[];
        readonly unfinished?: {
          readonly cost_msat: number | bigint;
          readonly least_cost_msat: number | bigint;
        };
        readonly error?: {
          readonly code: number | bigint;
          readonly message: string;
          readonly data?: unknown;
        };
      }[];
    };
  };
  /** List available commands, or show one of them. */
  help: {
    params: {
      /** The command to show. */
      command?: string;
    };
    result: {
      /** One object per command. Its member `command` is the usage. `forwarded`: the attached node executes it. */
      readonly help: readonly {
        readonly command: string;
        readonly forwarded?: boolean;
      }[];
      /** Always `simple`, so that clients show the list as text. */
      readonly 'format-hint': string;
    };
  };
  /** Import what another node learned about the odds of attempts. */
  importlearned: {
    params: {
      /** What `exportlearned` returned. */
      learned: Readonly<Record<string, unknown>>;
      /** Whether to compare only. */
      dry_run?: boolean;
    };
    result: {
      /** Whether it was taken. */
      readonly imported: boolean;
      /** Attempts that it was learned from. */
      readonly attempts: number | bigint;
      /** Nodes that it knows. */
      readonly nodes: number;
      /** Nodes of these that are not in the channel graph. */
      readonly unknown_nodes: number;
      /** Nodes that it says are away with a chance that differs by more than 5 points. */
      readonly nodes_differing: number;
      /** Share of nodes that do not answer, as it says. */
      readonly away_ppm: number;
      /** How much of the weight of the priors moves: 0 if they are weighed alike. */
      readonly weights_moved_ppm: number;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Make an invoice request for sending payments. */
  invoicerequest: {
    params: {
      /** Amount that we will pay. */
      amount: number | bigint | string;
      /** What the payment is for. */
      description?: string;
      /** Who we are. */
      issuer?: string;
      /** A local label. It is not part of the request. */
      label?: string;
      /** UNIX time after which the request is no longer valid. */
      absolute_expiry?: number | bigint | string;
      /** Whether we pay only once. */
      single_use?: boolean;
    };
    result: {
      /** SHA-256 of the request. */
      readonly invreq_id: string;
      /** True. */
      readonly active: boolean;
      /** Whether we pay only once. */
      readonly single_use: boolean;
      /** The request, `lnr1…`. */
      readonly bolt12: string;
      /** False. */
      readonly used: boolean;
      /** The label that was given. */
      readonly label?: string;
      /** Present if this node cannot pay: what happens to invoices. */
      readonly warning_not_paid?: string;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Create a rune that permits its holder to call commands over HTTP. */
  invokerune: {
    params: {
      /** A rune to restrict further. Without it, a new one is created and stored. */
      rune?: string;
      /** `readonly`, or an array of restrictions, each an array of alternatives. Without restrictions, the rune permits everything. */
      restrictions?: 'readonly' | readonly (readonly string[])[];
      /** Permit every method that the attached node executes, such as `withdraw`, within the restrictions. Only for a new rune, made at the socket or with a rune that has `forward` itself. */
      forward?: boolean;
    };
    result: {
      /** The rune: a secret. */
      readonly rune: string;
      /** The id of the rune, for `blacklistrune`. */
      readonly unique_id: string;
      /** Present if the rune permits everything. */
      readonly warning_unrestricted_rune?: string;
    };
  };
  /** Pay a node by its id, without an invoice. @deprecated */
  keysend: {
    params: {
      /** Node id of the recipient. */
      destination: string;
      /** Amount to send. Without suffix in msat; suffixes are msat, sat and btc. */
      amount_msat: number | bigint | string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string;
      /** Maximum fee in per cent of the amount. Default: 0.5. */
      maxfeepercent?: number;
      /** Number of seconds during which new attempts start. An attempt in flight may take longer. */
      retry_for?: number | string;
      /** Maximum number of blocks for which money may be locked on any route, including the recipient’s final delay. Capped at 2015. */
      maxdelay?: number | string;
      /** Fees up to this amount are always allowed, regardless of maxfeepercent. Default: 5000msat. */
      exemptfee?: number | bigint | string;
      /** Arrays of hops (id, scid, feebase, feeprop, expirydelta) over channels that are not public. */
      routehints?: readonly (readonly Readonly<Record<string, unknown>>[])[];
      /** Additional TLV fields for the recipient: type to value in hex. */
      extratlvs?: Readonly<Record<string, string>>;
      /** Maximum fee, instead of maxfeepercent and exemptfee. */
      maxfee?: number | bigint | string;
      /** A key chosen by the caller. Repeating a request with the same key returns the outcome of the first one and pays nothing, even after a restart. A different request with the same key is refused. */
      idempotency_key?: string;
      /** Seed of random choices, to repeat a plan. Default: random. */
      seed?: number | bigint | string;
      /** Names of those of our nodes that may send parts (see `listournodes`). Default: all. */
      nodes?: readonly string[];
      /** Whether all parts must leave from one of our nodes: the cheapest that can pay alone. */
      one_node?: boolean;
    };
    result: {
      /** Node id of the recipient. */
      readonly destination?: string;
      /** SHA-256 of the preimage. */
      readonly payment_hash: string;
      /** UNIX time of the request. */
      readonly created_at: number;
      /** Number of attempts. */
      readonly parts: number;
      /** Amount received by the recipient. */
      readonly amount_msat: number | bigint;
      /** Amount sent, including fees. */
      readonly amount_sent_msat: number | bigint;
      /** Present if some parts are still in flight. */
      readonly warning_partial_completion?: string;
      /** Proof that the payment arrived. */
      readonly payment_preimage: string;
      /** `complete` */
      readonly status: string;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show every movement of money by payments, in double entry or as CSV. */
  ledger: {
    params: {
      /** Only movements that ended at this time or later. UNIX seconds. */
      since?: number | bigint | string;
      /** Return `lines` of CSV instead of `movements`: in our columns, in those of the export of phoenixd, or in those of Core Lightning's bkpr-dumpincomecsv for Koinly. */
      format?: 'csv' | 'phoenixd' | 'koinly';
      /** Index of the first movement. */
      start?: number | bigint | string;
      /** Maximum number of movements, at most 100000. */
      limit?: number | string;
      /** Also show parts that failed. Their money came back. */
      refunds?: boolean;
    };
    result: {
      /** The movements. Absent with `format`. */
      readonly movements?: readonly {
        readonly index?: number | bigint;
        readonly time: number;
        readonly kind: 'payment' | 'refund' | 'in_flight';
        readonly payment_id: string;
        readonly payment_hash: string;
        readonly partid: number | bigint;
        readonly destination: string;
        readonly idempotency_key?: string;
        readonly label?: string;
        readonly bolt11?: string;
        readonly bolt12?: string;
        readonly description?: string;
        readonly invreq_payer_note?: string;
        readonly invreq_id?: string;
        readonly amount_msat: number | bigint;
        readonly fee_msat: number | bigint;
        readonly entries: readonly {
          readonly account: string;
          readonly debit_msat?: number | bigint;
          readonly credit_msat?: number | bigint;
          readonly simulated?: boolean;
        }[];
        readonly simulated?: boolean;
      }[];
      /** Lines of CSV, header first. Only with `format`. */
      readonly lines?: readonly string[];
      /** Sum of the amounts that arrived. */
      readonly paid_msat: number | bigint;
      /** Sum of the fees. */
      readonly fees_msat: number | bigint;
      /** Sum that is in flight, including fees. */
      readonly in_flight_msat: number | bigint;
      /** By how much our channels have changed: zero or negative. */
      readonly balance_change_msat: number | bigint;
      /** Index at which to continue. */
      readonly next_start?: number | bigint;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show the bounds that a layer implies for the liquidity of channels. */
  listbeliefs: {
    params: {
      /** The layer. */
      layer?: string;
      /** `newest` or `oldest` record, `narrowest` or `widest` part of the capacity, `largest` or `channel`. */
      sort?: 'newest' | 'oldest' | 'narrowest' | 'widest' | 'largest' | 'channel';
      /** Number of entries to skip. */
      start?: number | string;
      /** Maximum number of entries to show. */
      limit?: number | string;
      /** Only this direction. */
      short_channel_id_dir?: string;
    };
    result: {
      /** One object per direction. */
      readonly beliefs: readonly {
        readonly short_channel_id_dir: string;
        readonly source?: string;
        readonly destination?: string;
        readonly capacity_msat?: number | bigint;
        readonly minimum_msat: number | bigint;
        readonly maximum_msat: number | bigint;
        readonly records: number | bigint;
        readonly timestamp: number | bigint;
      }[];
      /** Total number of directions. */
      readonly num_beliefs: number | bigint;
      /** The records of both directions of the channel, oldest first. */
      readonly history?: readonly {
        readonly short_channel_id_dir: string;
        readonly kind: 'minimum' | 'maximum' | 'impression';
        readonly amount_msat: number | bigint;
        readonly timestamp: number | bigint;
      }[];
    };
  };
  /** Show all channels of the graph, one channel, or those from or to a node. */
  listchannels: {
    params: {
      /** Only this channel, both directions. */
      short_channel_id?: string;
      /** Only directions that leave this node. */
      source?: string;
      /** Only directions that end at this node. */
      destination?: string;
    };
    result: {
      /** Objects of source, destination, short_channel_id, direction, public, amount_msat, message_flags, channel_flags, active, last_update, base_fee_millisatoshi, fee_per_millionth, delay, htlc_minimum_msat, htlc_maximum_msat, features. */
      readonly channels: readonly {
        readonly source: string;
        readonly destination: string;
        readonly short_channel_id: string;
        readonly direction: number;
        readonly public: boolean;
        readonly amount_msat: number | bigint;
        readonly message_flags: number;
        readonly channel_flags: number;
        readonly active: boolean;
        readonly last_update: number;
        readonly base_fee_millisatoshi: number;
        readonly fee_per_millionth: number;
        readonly delay: number;
        readonly htlc_minimum_msat: number | bigint;
        readonly htlc_maximum_msat?: number | bigint;
        readonly features: string;
      }[];
    };
  };
  /** List options, or one of them. */
  listconfigs: {
    params: {
      /** Name of a single option to show. */
      config?: string;
    };
    result: {
      /** Objects by name of option. value_int, value_str, values_str or set is the value. source or sources is its origin: default, cmdline, environment NAME, setconfig, or file:line. dynamic means that `setconfig` can change it. Secrets are shown as `...`. */
      readonly configs: Readonly<
        Record<
          string,
          {
            readonly value_int?: number | bigint;
            readonly value_str?: string;
            readonly values_str?: readonly string[];
            readonly set?: boolean;
            readonly source?: string;
            readonly sources?: readonly string[];
            readonly dynamic?: boolean;
          }
        >
      >;
    };
  };
  /** Show the latest invoice fetches: the routes tried and their results. */
  listfetches: {
    params: {
      /** Only the fetch with this number. */
      number?: number | string;
    };
    result: {
      /** One object per fetch. */
      readonly fetches: readonly {
        readonly number: number | bigint;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly created_at: number;
        readonly took_ms: number;
        readonly timeout: number;
        readonly offer_id: string;
        readonly offer: string;
        readonly offered: {
          readonly description?: string;
          readonly vendor?: string;
          readonly amount_msat?: number | bigint;
        };
        readonly steps: readonly {
          readonly target: string;
          readonly offer_path?: number;
          readonly outcome: 'connecting' | 'sending' | 'unreachable' | 'sent' | 'answered';
          readonly started_ms: number;
          readonly took_ms: number;
          readonly connected?: boolean;
          readonly route?: readonly string[];
          readonly reason?: string;
        }[];
        readonly invoice?: string;
        readonly invoiced?: {
          readonly description?: string;
          readonly vendor?: string;
          readonly amount_msat?: number | bigint;
          readonly created_at?: number | bigint;
          readonly expires_at?: number | bigint;
        };
        readonly changes?: {
          readonly description_appended?: string;
          readonly description?: string;
          readonly vendor_removed?: string;
          readonly vendor?: string;
          readonly amount_msat?: number | bigint;
        };
        readonly failure?: {
          readonly code: number | bigint;
          readonly message: string;
          readonly data?: unknown;
        };
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show our funds. */
  listfunds: {
    params: {
      /** Accepted for compatibility with Core Lightning. Has no effect, because there are no outputs. */
      spent?: boolean;
    };
    result: {
      /** Empty. */
      readonly outputs: readonly unknown[];
      /** Objects of peer_id, connected, state, channel_id, short_channel_id?, our_amount_msat, amount_msat, funding_txid, funding_output. */
      readonly channels: readonly {
        readonly peer_id: string;
        readonly connected: boolean;
        readonly state: string;
        readonly channel_id: string;
        readonly short_channel_id?: string;
        readonly our_amount_msat: number | bigint;
        readonly amount_msat: number | bigint;
        readonly funding_txid: string;
        readonly funding_output: number;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** List invoice requests. */
  listinvoicerequests: {
    params: {
      /** Only the request with this id. */
      invreq_id?: string;
      /** Whether to omit requests that no longer accept invoices. */
      active_only?: boolean;
    };
    result: {
      /** Objects of invreq_id, active, single_use, bolt12, used, label?. */
      readonly invoicerequests: readonly {
        readonly invreq_id: string;
        readonly active: boolean;
        readonly single_use: boolean;
        readonly bolt12: string;
        readonly used: boolean;
        readonly label?: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show invoices issued for our offers. */
  listinvoices: {
    params: {
      /** Only the invoice with this label. */
      label?: string | number;
      /** Only this invoice. */
      invstring?: string;
      /** Only the invoice with this payment hash. */
      payment_hash?: string;
      /** Only invoices for this offer. */
      offer_id?: string;
      /** The index that `start` and `limit` refer to. */
      index?: 'created';
      /** First index to show. */
      start?: number | bigint | string;
      /** Maximum number of invoices to show. */
      limit?: number | string;
    };
    result: {
      /** Objects of label, bolt12, payment_hash, amount_msat, status, description?, expires_at, created_index, local_offer_id, invreq_payer_note?, payment_preimage?. */
      readonly invoices: readonly {
        readonly label: string;
        readonly bolt12?: string;
        readonly payment_hash: string;
        readonly amount_msat?: number | bigint;
        readonly status: 'unpaid' | 'paid' | 'expired';
        readonly description?: string;
        readonly expires_at: number | bigint;
        readonly created_index: number | bigint;
        readonly local_offer_id?: string;
        readonly invreq_payer_note?: string;
        readonly payment_preimage?: string;
        readonly pay_index?: number | bigint;
        readonly amount_received_msat?: number | bigint;
        readonly paid_at?: number | bigint;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show the layers and how many entries each has. */
  listlayers: {
    params: Record<string, never>;
    result: {
      /** Objects of layer, persistent, and the number of entries of each kind. */
      readonly layers: readonly {
        readonly layer: string;
        readonly persistent: boolean;
        readonly disabled_nodes: number;
        readonly created_channels: number;
        readonly channel_updates: number;
        readonly constraints: number;
        readonly impressions: number;
        readonly biases: number;
        readonly node_biases: number;
        readonly newest_record?: number | bigint;
      }[];
    };
  };
  /** Show what attempts taught about the odds of attempts. */
  listlearned: {
    params: {
      /** Show at most this many nodes, the least reliable first. */
      nodes?: number | string;
    };
    result: {
      /** False with `--no-learned-odds`. Then there is nothing else. */
      readonly enabled: boolean;
      /** Attempts learned from. */
      readonly attempts?: number | bigint;
      /** Share of nodes that do not answer. */
      readonly away_ppm?: number;
      /** slope and offset of the correction. */
      readonly correction?: {
        readonly slope: number;
        readonly offset: number;
      };
      /** Objects of prior (uniform, bimodal, onesided), scale_ppm or share_ppm of it, stale_ppm (share of directions whose known bounds no longer hold) and weight_ppm, the heaviest first. */
      readonly priors?: readonly {
        readonly prior: 'uniform' | 'bimodal' | 'onesided';
        readonly scale_ppm?: number;
        readonly share_ppm?: number;
        readonly stale_ppm: number;
        readonly weight_ppm: number;
        readonly simulated?: boolean;
      }[];
      /** Objects of node_id, away_ppm and seen_at. */
      readonly nodes?: readonly {
        readonly node_id: string;
        readonly away_ppm: number;
        readonly seen_at: number | bigint;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show the nodes of the channel graph, or one of them. */
  listnodes: {
    params: {
      /** The node to show. */
      id?: string;
    };
    result: {
      /** Objects of nodeid and, where announced, alias, last_timestamp, color, features. */
      readonly nodes: readonly {
        readonly nodeid: string;
        readonly alias?: string;
        readonly last_timestamp?: number;
        readonly color?: string;
        readonly features?: string;
        readonly addresses?: readonly {
          readonly type: 'dns' | 'ipv4' | 'ipv6' | 'torv2' | 'torv3' | 'local socket';
          readonly address?: string;
          readonly socket?: string;
          readonly port?: number;
        }[];
      }[];
    };
  };
  /** Show the predicted probability and the outcome of attempts. */
  listodds: {
    params: {
      /** Id of the first attempt to consider. */
      start?: number | bigint | string;
      /** Maximum number of attempts to consider. */
      limit?: number | string;
    };
    result: {
      /** Objects of id, created_at, amount_msat, probability_ppm, hops and arrived. */
      readonly odds: readonly {
        readonly id: number | bigint;
        readonly created_at: number;
        readonly amount_msat: number | bigint;
        readonly probability_ppm: number;
        readonly hops: number;
        readonly arrived: boolean;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** List offers. */
  listoffers: {
    params: {
      /** Only the offer with this id. */
      offer_id?: string;
      /** Whether to omit disabled offers. */
      active_only?: boolean;
    };
    result: {
      /** Objects of offer_id, active, single_use, bolt12, force_paths, used, label?, description?. */
      readonly offers: readonly {
        readonly offer_id: string;
        readonly active: boolean;
        readonly single_use: boolean;
        readonly bolt12: string;
        readonly force_paths: boolean;
        readonly used: boolean;
        readonly label?: string;
        readonly description?: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** List our nodes, with balances, limits and recent results. */
  listournodes: {
    params: {
      /** Only the node of this name. */
      node?: string;
    };
    result: {
      /** Objects of name, id, kind, version, state, height, channels, spendable_msat, may_spend_msat (what payments may take now), receivable_msat, htlcs and in_flight_msat (ours, in flight), floor_msat, price_ppm, largest_part_msat, max_htlcs, last_hour and last_day (HTLCs that ended: settled, failed, amount_msat, fee_msat) and, if it takes no new parts, resting (why). */
      readonly nodes: readonly {
        readonly name: string;
        readonly id: string;
        readonly kind: string;
        readonly version?: string;
        readonly state: 'on' | 'drain' | 'rest' | 'off';
        readonly height: number;
        readonly channels: number;
        readonly spendable_msat: number | bigint;
        readonly may_spend_msat: number | bigint;
        readonly receivable_msat: number | bigint;
        readonly htlcs: number;
        readonly in_flight_msat: number | bigint;
        readonly floor_msat: number | bigint;
        readonly price_ppm: number | bigint;
        readonly largest_part_msat?: number | bigint;
        readonly max_htlcs?: number;
        readonly last_hour: {
          readonly settled: number;
          readonly failed: number;
          readonly amount_msat: number | bigint;
          readonly fee_msat: number | bigint;
        };
        readonly last_day: {
          readonly settled: number;
          readonly failed: number;
          readonly amount_msat: number | bigint;
          readonly fee_msat: number | bigint;
        };
        readonly resting?: string;
      }[];
    };
  };
  /** Show the latest payments, with the reason for each failure or refusal. */
  listpayments: {
    params: {
      /** First payment to show, by its created_index. */
      start?: number | bigint | string;
      /** Maximum number of payments to show. */
      limit?: number | string;
    };
    result: {
      /** Objects of id, created_index, command, payment_hash, destination, amount_msat, amount_sent_msat once it is complete, label, status, created_at, completed_at, attempts (their number), and failure. */
      readonly payments: readonly {
        readonly id: string;
        readonly created_index: number | bigint;
        readonly command: 'keysend' | 'xkeysend' | 'xpay' | 'pay';
        readonly payment_hash: string;
        readonly destination: string;
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat?: number | bigint;
        readonly label?: string;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly created_at: number;
        readonly completed_at?: number;
        readonly attempts: number;
        readonly failure?: {
          readonly code: number | bigint;
          readonly message: string;
        };
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show payments and their outcomes. */
  listpays: {
    params: {
      /** Only payments of this invoice, BOLT 11 or BOLT 12. */
      bolt11?: string;
      /** Only payments with this hash. */
      payment_hash?: string;
      /** Only those in this state. */
      status?: 'pending' | 'complete' | 'failed';
      /** The order of the list. */
      index?: 'created' | 'updated';
      /** First index to show. */
      start?: number | bigint | string;
      /** Maximum number of entries to show. */
      limit?: number | string;
    };
    result: {
      /** Objects of destination, payment_hash, status, created_at, completed_at, label, bolt11 or bolt12, description, invreq_payer_note, invreq_id, preimage, amount_msat, amount_sent_msat, number_of_parts, created_index, updated_index. Both indexes count attempts, as in `listsendpays`. In `getpayment`, `listpayments` and events, created_index is the number of the payment. */
      readonly pays: readonly {
        readonly destination?: string;
        readonly payment_hash: string;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly created_at: number | bigint;
        readonly completed_at?: number | bigint;
        readonly label?: string;
        readonly bolt11?: string;
        readonly bolt12?: string;
        readonly description?: string;
        readonly invreq_payer_note?: string;
        readonly invreq_id?: string;
        readonly preimage?: string;
        readonly amount_msat?: number | bigint;
        readonly amount_sent_msat?: number | bigint;
        readonly nodes?: readonly {
          readonly node: string;
          readonly amount_msat: number | bigint;
          readonly amount_sent_msat: number | bigint;
        }[];
        readonly number_of_parts?: number | bigint;
        readonly created_index?: number | bigint;
        readonly updated_index?: number | bigint;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show our own channels. */
  listpeerchannels: {
    params: {
      /** Only channels with this peer. */
      id?: string;
      /** Only this channel. */
      short_channel_id?: string;
      /** Only the channel of this id. */
      channel_id?: string;
    };
    result: {
      /** Objects of peer_id, peer_connected, reestablished, channel_type, updates (local, remote), last_stable_connection?, features, state, scratch_txid, last_tx_fee_msat, lost_state, feerate, owner?, short_channel_id?, direction, channel_id, funding_txid, funding_outnum, close_to, private, opener, closer?, alias, funding, to_us_msat, min_to_us_msat, max_to_us_msat, total_msat, spendable_msat, receivable_msat, terms and limits, state_changes, status, counts and sums of HTLCs in and out, htlcs. */
      readonly channels: readonly {
        readonly peer_id: string;
        readonly peer_connected: boolean;
        readonly reestablished?: boolean;
        readonly channel_type?: {
          readonly bits: readonly number[];
          readonly names: readonly string[];
        };
        readonly updates?: {
          readonly local?: {
            readonly htlc_minimum_msat: number | bigint;
            readonly htlc_maximum_msat: number | bigint;
            readonly cltv_expiry_delta: number;
            readonly fee_base_msat: number | bigint;
            readonly fee_proportional_millionths: number;
          };
          readonly remote?: {
            readonly htlc_minimum_msat: number | bigint;
            readonly htlc_maximum_msat: number | bigint;
            readonly cltv_expiry_delta: number;
            readonly fee_base_msat: number | bigint;
            readonly fee_proportional_millionths: number;
          };
        };
        readonly last_stable_connection?: number | bigint;
        readonly features?: readonly string[];
        readonly state: string;
        readonly scratch_txid?: string;
        readonly last_tx_fee_msat?: number | bigint;
        readonly lost_state?: boolean;
        readonly feerate?: {
          readonly perkw: number;
          readonly perkb: number;
        };
        readonly owner?: string;
        readonly short_channel_id?: string;
        readonly direction?: number;
        readonly channel_id?: string;
        readonly funding_txid?: string;
        readonly funding_outnum?: number;
        readonly close_to?: string;
        readonly private?: boolean;
        readonly opener: 'local' | 'remote';
        readonly closer?: 'local' | 'remote';
        readonly alias?: {
          readonly local?: string;
          readonly remote?: string;
        };
        readonly funding?: {
          readonly local_funds_msat: number | bigint;
          readonly remote_funds_msat: number | bigint;
          readonly pushed_msat?: number | bigint;
          readonly withheld?: boolean;
        };
        readonly to_us_msat?: number | bigint;
        readonly min_to_us_msat?: number | bigint;
        readonly max_to_us_msat?: number | bigint;
        readonly total_msat?: number | bigint;
        readonly spendable_msat?: number | bigint;
        readonly receivable_msat?: number | bigint;
        readonly fee_base_msat?: number | bigint;
        readonly fee_proportional_millionths?: number;
        readonly dust_limit_msat?: number | bigint;
        readonly their_max_htlc_value_in_flight_msat?: number | bigint;
        readonly our_max_htlc_value_in_flight_msat?: number | bigint;
        readonly their_reserve_msat?: number | bigint;
        readonly our_reserve_msat?: number | bigint;
        readonly minimum_htlc_in_msat?: number | bigint;
        readonly minimum_htlc_out_msat?: number | bigint;
        readonly maximum_htlc_out_msat?: number | bigint;
        readonly their_to_self_delay?: number;
        readonly our_to_self_delay?: number;
        readonly max_accepted_htlcs?: number;
        readonly state_changes?: readonly {
          readonly timestamp: string;
          readonly old_state: string;
          readonly new_state: string;
          readonly cause: string;
          readonly message: string;
        }[];
        readonly status?: readonly string[];
        readonly in_payments_offered?: number | bigint;
        readonly in_offered_msat?: number | bigint;
        readonly in_payments_fulfilled?: number | bigint;
        readonly in_fulfilled_msat?: number | bigint;
        readonly out_payments_offered?: number | bigint;
        readonly out_offered_msat?: number | bigint;
        readonly out_payments_fulfilled?: number | bigint;
        readonly out_fulfilled_msat?: number | bigint;
        readonly htlcs?: readonly {
          readonly direction: 'in' | 'out';
          readonly id: number | bigint;
          readonly amount_msat: number | bigint;
          readonly expiry: number;
          readonly payment_hash: string;
          readonly state: string;
        }[];
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show the peers, or one of them. */
  listpeers: {
    params: {
      /** The peer to show. */
      id?: string;
      /** Accepted for compatibility and ignored. There is no log per peer. */
      level?: string;
    };
    result: {
      /** Objects of id, connected, num_channels. While connected, also netaddr and features. */
      readonly peers: readonly {
        readonly id: string;
        readonly connected: boolean;
        readonly num_channels: number;
        readonly netaddr?: readonly string[];
        readonly features?: string;
      }[];
    };
  };
  /** List quotes of payments. */
  listquotes: {
    params: {
      /** Show only this one. */
      quote_id?: string;
    };
    result: {
      /** Objects of quote_id, status (open, used, expired), command, invstring, amount_msat, fee_msat, maxfee_msat, confidence_ppm, probability_ppm, parts, held_msat, created_at, expires_at, used_at? */
      readonly quotes: readonly {
        readonly quote_id: string;
        readonly command: 'xpay' | 'xkeysend';
        readonly invstring: string;
        readonly amount_msat: number | bigint;
        readonly fee_msat: number | bigint;
        readonly maxfee_msat: number | bigint;
        readonly confidence_ppm: number;
        readonly probability_ppm: number;
        readonly parts: number;
        readonly held_msat: number | bigint;
        readonly created_at: number | bigint;
        readonly expires_at: number | bigint;
        readonly status: 'open' | 'used' | 'expired';
        readonly used_at?: number | bigint;
        readonly simulated?: boolean;
      }[];
      /** What all open quotes hold. Only at the socket. */
      readonly held_msat?: number | bigint;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show the attempts that were sent. */
  listsendpays: {
    params: {
      /** Only payments of this invoice, BOLT 11 or BOLT 12. */
      bolt11?: string;
      /** Only payments with this hash. */
      payment_hash?: string;
      /** Only those in this state. */
      status?: 'pending' | 'complete' | 'failed';
      /** The order of the list. */
      index?: 'created' | 'updated';
      /** First index to show. */
      start?: number | bigint | string;
      /** Maximum number of entries to show. */
      limit?: number | string;
    };
    result: {
      /** Objects of created_index, id, payment_hash, groupid, updated_index, partid, destination, amount_msat, amount_sent_msat, created_at, completed_at, status, payment_preimage, label, bolt11 or bolt12, description, invreq_payer_note, invreq_id. */
      readonly payments: readonly {
        readonly created_index: number | bigint;
        readonly id: number | bigint;
        readonly payment_hash: string;
        readonly groupid: number | bigint;
        readonly updated_index?: number | bigint;
        readonly partid?: number | bigint;
        readonly node?: string;
        readonly destination?: string;
        readonly amount_msat?: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly created_at: number | bigint;
        readonly completed_at?: number | bigint;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly payment_preimage?: string;
        readonly label?: string;
        readonly bolt11?: string;
        readonly bolt12?: string;
        readonly description?: string;
        readonly invreq_payer_note?: string;
        readonly invreq_id?: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** List the offers that nodes of a simulated network issue. */
  listsimulatedoffers: {
    params: Record<string, never>;
    result: {
      /** Objects of offer_id, bolt12, description?, node_id, kind. */
      readonly offers: readonly {
        readonly offer_id: string;
        readonly bolt12: string;
        readonly description?: string;
        readonly node_id: string;
        readonly kind: string;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** List webhooks and their deliveries. */
  listwebhooks: {
    params: Record<string, never>;
    result: {
      /** Objects of webhook_id, url, events, created_at, waiting, delivered, failures, dropped, last_delivered_at?, last_problem?, next_attempt_at? */
      readonly webhooks: readonly {
        readonly webhook_id: string;
        readonly url: string;
        readonly events: readonly string[];
        readonly created_at: number | bigint;
        readonly waiting: number | bigint;
        readonly delivered: number | bigint;
        readonly failures: number | bigint;
        readonly dropped: number | bigint;
        readonly last_delivered_at?: number | bigint;
        readonly last_problem?: string;
        readonly next_attempt_at?: number | bigint;
      }[];
    };
  };
  /** Allow or stop notifications on this connection. */
  notifications: {
    params: {
      /** Whether to send notifications. */
      enable: boolean;
    };
    result: object | string;
  };
  /** Make an offer for accepting payments. */
  offer: {
    params: {
      /** `any`, an amount of bitcoin, or a number with a currency such as `10.05USD`. */
      amount: number | bigint | string;
      /** What the payment is for. Required with an amount. */
      description?: string;
      /** Who we are. */
      issuer?: string;
      /** A local label. It is not part of the offer. */
      label?: string;
      /** Maximum number of items per invoice. 0 for no limit. */
      quantity_max?: number | bigint | string;
      /** UNIX time after which the offer is no longer valid. */
      absolute_expiry?: number | bigint | string;
      /** Payment interval, such as `1month`, `2weeks` or `30minutes`. */
      recurrence?: string;
      /** UNIX time at which period 0 starts. */
      recurrence_base?: number | bigint | string;
      /** `-BEFORE+AFTER`: how many seconds before and after the start of a period it may be paid. */
      recurrence_paywindow?: string;
      /** Index of the last period. */
      recurrence_limit?: number | bigint | string;
      /** Whether the offer is disabled after its first payment. */
      single_use?: boolean;
      /** Whether the amount for a period that has begun is reduced in proportion to the remaining time. */
      proportional_amount?: boolean;
      /** Whether it may also be paid once, without recurrence. */
      optional_recurrence?: boolean;
      /** Peers through which we can be reached. The offer has one path through each. */
      fronting_nodes?: readonly string[];
    };
    result: {
      /** SHA-256 of the offer. */
      readonly offer_id: string;
      /** Whether the offer is active. */
      readonly active: boolean;
      /** Whether the offer is disabled after its first payment. */
      readonly single_use: boolean;
      /** The offer, `lno1…`. */
      readonly bolt12: string;
      /** False. */
      readonly force_paths: boolean;
      /** Whether it has been paid. */
      readonly used: boolean;
      /** The label that was given. */
      readonly label?: string;
      /** False if the offer already existed. */
      readonly created: boolean;
      /** Why invoice requests for it cannot be answered with an invoice. */
      readonly warning_no_payments?: string;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Pay an invoice. */
  pay: {
    params: {
      /** A BOLT 11 or BOLT 12 invoice. The parameter may also be called `bolt11`. */
      invstring: string;
      /** Amount to pay. Only for an invoice without an amount. */
      amount_msat?: number | bigint | string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string | number;
      /** Has no effect. The price of risk is derived from the amount. */
      riskfactor?: number;
      /** Maximum fee in per cent of the amount. Default: 0.5. */
      maxfeepercent?: number;
      /** Number of seconds during which new attempts start. An attempt in flight may take longer. */
      retry_for?: number | string;
      /** Maximum number of blocks for which money may be locked on any route, including the recipient’s final delay. Capped at 2015. */
      maxdelay?: number | string;
      /** Fees up to this amount are always allowed, regardless of maxfeepercent. Default: 5000msat. */
      exemptfee?: number | bigint | string;
      /** Id of the request of ours (see `invoicerequest`) that this BOLT 12 invoice answers. A single-use request is paid only once. */
      localinvreqid?: string;
      /** Nodes and channel directions that must not be used. */
      exclude?: readonly string[];
      /** Maximum fee, instead of maxfeepercent and exemptfee. */
      maxfee?: number | bigint | string;
      /** Description, for an invoice that contains only its hash. The hash must match. */
      description?: string;
      /** Pay only this part of the invoice amount. Another payer pays the rest. */
      partial_msat?: number | bigint | string;
      /** A key chosen by the caller. Repeating a request with the same key returns the outcome of the first one and pays nothing, even after a restart. A different request with the same key is refused. */
      idempotency_key?: string;
    };
    result: {
      /** Node id of the recipient. */
      readonly destination?: string;
      /** SHA-256 of the preimage. */
      readonly payment_hash: string;
      /** UNIX time of the request. */
      readonly created_at: number;
      /** Number of attempts. */
      readonly parts: number;
      /** Amount received by the recipient. */
      readonly amount_msat: number | bigint;
      /** Amount sent, including fees. */
      readonly amount_sent_msat: number | bigint;
      /** Present if some parts are still in flight. */
      readonly warning_partial_completion?: string;
      /** Proof that the payment arrived. */
      readonly payment_preimage: string;
      /** `complete` */
      readonly status: string;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show payments with each attempt: route, failure and what was learned. @deprecated */
  paystatus: {
    params: {
      /** Only payments of this invoice, BOLT 11 or BOLT 12. */
      bolt11?: string;
      /** Only this payment. */
      payment_hash?: string;
      /** First payment to show. */
      start?: number | string;
      /** Maximum number of payments to show. */
      limit?: number | string;
    };
    result: {
      /** Objects of label, amount_msat, destination, payment_hash, status, seed, failure and attempts. */
      readonly pay: readonly {
        readonly label?: string;
        readonly bolt11?: string;
        readonly bolt12?: string;
        readonly description?: string;
        readonly invreq_payer_note?: string;
        readonly invreq_id?: string;
        readonly amount_msat: number | bigint;
        readonly destination?: string;
        readonly payment_hash: string;
        readonly status: 'pending' | 'complete' | 'failed';
        readonly seed: number | bigint;
        readonly failure?: {
          readonly code: number | bigint;
          readonly message: string;
        };
        readonly attempts: readonly {
          readonly strategy: string;
          readonly start_time: string;
          readonly age_in_seconds: number | bigint;
          readonly end_time?: string;
          readonly state: 'pending' | 'completed';
          readonly success?: {
            readonly id: number | bigint;
            readonly payment_preimage: string;
          };
          readonly failure?: {
            readonly message: string;
            readonly code: number | bigint;
            readonly data: {
              readonly id: number | bigint;
              readonly erring_index?: number;
              readonly failcode?: number;
              readonly failcodename?: string;
              readonly erring_node?: string;
              readonly erring_channel?: string;
              readonly erring_direction?: number;
              readonly raw_message?: string;
            };
          };
          readonly partid: number | bigint;
          readonly node?: string;
          readonly amount_msat: number | bigint;
          readonly amount_sent_msat: number | bigint;
          readonly probability_ppm: number;
          readonly route: readonly {
            readonly short_channel_id_dir: string;
            readonly id: string;
            readonly amount_msat: number | bigint;
            readonly delay: number;
          }[];
          readonly learned?: readonly string[];
        }[];
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show what `keysend` would do, without sending anything. */
  plankeysend: {
    params: {
      /** Node id of the recipient. */
      destination: string;
      /** Amount to send. Without suffix in msat; suffixes are msat, sat and btc. */
      amount_msat: number | bigint | string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string;
      /** Maximum fee in per cent of the amount. Default: 0.5. */
      maxfeepercent?: number;
      /** Number of seconds during which new attempts start. An attempt in flight may take longer. */
      retry_for?: number | string;
      /** Maximum number of blocks for which money may be locked on any route, including the recipient’s final delay. Capped at 2015. */
      maxdelay?: number | string;
      /** Fees up to this amount are always allowed, regardless of maxfeepercent. Default: 5000msat. */
      exemptfee?: number | bigint | string;
      /** Arrays of hops (id, scid, feebase, feeprop, expirydelta) over channels that are not public. */
      routehints?: readonly (readonly Readonly<Record<string, unknown>>[])[];
      /** Additional TLV fields for the recipient: type to value in hex. */
      extratlvs?: Readonly<Record<string, string>>;
      /** Maximum fee, instead of maxfeepercent and exemptfee. */
      maxfee?: number | bigint | string;
      /** Seed of random choices, to repeat a plan. Default: random. */
      seed?: number | bigint | string;
      /** Names of those of our nodes that may send parts (see `listournodes`). Default: all. */
      nodes?: readonly string[];
      /** Whether all parts must leave from one of our nodes: the cheapest that can pay alone. */
      one_node?: boolean;
    };
    result: {
      /** Pass it to the payment command to repeat this plan. */
      readonly seed: number | bigint;
      /** Amount the recipient would receive, including the shadow amount. */
      readonly amount_msat: number | bigint;
      /** Amount that would be sent, including fees. */
      readonly amount_sent_msat: number | bigint;
      /** The difference between the two. */
      readonly fee_msat: number | bigint;
      /** Amount the recipient would receive beyond the requested amount. */
      readonly shadow_msat: number | bigint;
      /** Blocks added to make the route look longer. */
      readonly shadow_delay: number;
      /** Maximum number of blocks for which our money would be locked. */
      readonly delay: number;
      /** Probability that all parts arrive, in parts per million. */
      readonly probability_ppm: number;
      /** If several of our nodes may send: objects of node, and fee_msat, parts and probability_ppm if it sent everything, or error (code, message). */
      readonly from_each_node?: readonly {
        readonly node: string;
        readonly fee_msat?: number | bigint;
        readonly parts?: number;
        readonly probability_ppm?: number;
        readonly error?: {
          readonly code: number | bigint;
          readonly message: string;
        };
      }[];
      /** Objects of node (if several of ours may send), amount_msat, amount_sent_msat, probability_ppm, odds and route, hop by hop. `odds` splits the probability: balances_ppm, that all balances suffice; nodes_ppm, that all nodes answer; searched_ppm, with evenly likely balances and no node away, as the search has it; unknown_hops, hops of whose balance nothing is known. Their product is corrected by what became of earlier odds. */
      readonly parts: readonly {
        readonly node?: string;
        readonly odds?: {
          readonly balances_ppm: number;
          readonly nodes_ppm: number;
          readonly searched_ppm: number;
          readonly unknown_hops: number;
        };
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly probability_ppm: number;
        readonly route: readonly {
          readonly short_channel_id_dir: string;
          readonly id: string;
          readonly amount_msat: number | bigint;
          readonly delay: number;
        }[];
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show what `rebalance` would do, without sending anything. */
  planrebalance: {
    params: {
      /** Maximum fee of everything together. */
      maxfee: number | bigint | string;
      /** What these channels should be able to send: objects of short_channel_id and percent of what they can send and receive. Other channels are not touched. Default: the same share for all channels. */
      targets?: readonly {
        readonly short_channel_id: string;
        readonly percent: number;
      }[];
      /** Maximum fee of each part, in ppm of what it moves. */
      maxfee_ppm?: number | string;
      /** Maximum amount to move. */
      amount_msat?: number | bigint | string;
      /** Channels that are nearer to their share than this are left as they are. */
      least_msat?: number | bigint | string;
      /** Number of seconds during which new attempts of each part start. */
      retry_for?: number | string;
      /** Layers to apply, after those that all payments use. */
      layers?: readonly string[];
    };
    result: {
      /** What would have to move for all channels to reach their shares. */
      readonly wanted_msat: number | bigint;
      /** What the parts move. */
      readonly amount_msat: number | bigint;
      /** What the parts cost. */
      readonly fee_msat: number | bigint;
      /** Objects of out, in (short channel ids), amount_msat, fee_msat and route, hop by hop. */
      readonly parts: readonly {
        readonly out: string;
        readonly in: string;
        readonly amount_msat: number | bigint;
        readonly fee_msat: number | bigint;
        readonly route: readonly {
          readonly short_channel_id_dir: string;
          readonly id: string;
          readonly amount_msat: number | bigint;
          readonly delay: number;
        }[];
      }[];
      /** The channels concerned: objects of short_channel_id, peer_id, percent (what it can send now, of what it can send and receive) and percent_after. */
      readonly channels: readonly {
        readonly short_channel_id: string;
        readonly peer_id: string;
        readonly percent: number;
        readonly percent_after: number;
      }[];
      /** Present if not everything that is wanted can be moved within the limits: code and message of the refusal of the whole. */
      readonly obstacle?: {
        readonly code: number | bigint;
        readonly message: string;
      };
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show what `transfer` would do and cost, without sending anything. */
  plantransfer: {
    params: {
      /** Name of the node that pays. */
      from: string;
      /** Name of the node that receives. */
      to: string;
      /** Amount to move. */
      amount_msat: number | bigint | string;
      /** Maximum fee. Default: 1 % of the amount, but at least 5 sat. */
      maxfee?: number | bigint | string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string | number;
      /** Layers to apply, after those that all payments use. */
      layers?: readonly string[];
      /** Number of seconds during which new attempts start. An attempt in flight may take longer. */
      retry_for?: number | string;
      /** Maximum number of blocks for which money may be locked on any route, including the recipient’s final delay. Capped at 2015. */
      maxdelay?: number | string;
      /** Seed of random choices, to repeat a plan. Default: random. */
      seed?: number | bigint | string;
    };
    result: {
      /** Pass it to the payment command to repeat this plan. */
      readonly seed: number | bigint;
      /** Amount the recipient would receive, including the shadow amount. */
      readonly amount_msat: number | bigint;
      /** Amount that would be sent, including fees. */
      readonly amount_sent_msat: number | bigint;
      /** The difference between the two. */
      readonly fee_msat: number | bigint;
      /** Amount the recipient would receive beyond the requested amount. */
      readonly shadow_msat: number | bigint;
      /** Blocks added to make the route look longer. */
      readonly shadow_delay: number;
      /** Maximum number of blocks for which our money would be locked. */
      readonly delay: number;
      /** Probability that all parts arrive, in parts per million. */
      readonly probability_ppm: number;
      /** If several of our nodes may send: objects of node, and fee_msat, parts and probability_ppm if it sent everything, or error (code, message). */
      readonly from_each_node?: readonly {
        readonly node: string;
        readonly fee_msat?: number | bigint;
        readonly parts?: number;
        readonly probability_ppm?: number;
        readonly error?: {
          readonly code: number | bigint;
          readonly message: string;
        };
      }[];
      /** Objects of node (if several of ours may send), amount_msat, amount_sent_msat, probability_ppm, odds and route, hop by hop. `odds` splits the probability: balances_ppm, that all balances suffice; nodes_ppm, that all nodes answer; searched_ppm, with evenly likely balances and no node away, as the search has it; unknown_hops, hops of whose balance nothing is known. Their product is corrected by what became of earlier odds. */
      readonly parts: readonly {
        readonly node?: string;
        readonly odds?: {
          readonly balances_ppm: number;
          readonly nodes_ppm: number;
          readonly searched_ppm: number;
          readonly unknown_hops: number;
        };
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly probability_ppm: number;
        readonly route: readonly {
          readonly short_channel_id_dir: string;
          readonly id: string;
          readonly amount_msat: number | bigint;
          readonly delay: number;
        }[];
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Show what `xpay` would do, without sending anything. */
  planxpay: {
    params: {
      /** A BOLT 11 or BOLT 12 invoice, an offer, or the name NAME@DOMAIN of an offer (BIP 353). */
      invstring: string;
      /** Amount to pay. Only for an invoice without an amount. */
      amount_msat?: number | bigint | string;
      /** Maximum fee. Default: 1 % of the amount, but at least 5 sat. */
      maxfee?: number | bigint | string;
      /** Layers to apply, after those that all payments use. */
      layers?: readonly string[];
      /** Number of seconds during which new attempts start. For an offer this includes fetching the invoice. */
      retry_for?: number | string;
      /** Pay only this part of the invoice amount. Another payer pays the rest. */
      partial_msat?: number | bigint | string;
      /** Maximum number of blocks for which money may be locked on any route, including the recipient’s final delay. Capped at 2015. */
      maxdelay?: number | string;
      /** A note for the issuer of an offer. Its invoice repeats it. */
      payer_note?: string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string | number;
      /** Id of the request of ours (see `invoicerequest`) that this BOLT 12 invoice answers. A single-use request is paid only once. */
      localinvreqid?: string;
      /** Seed of random choices, to repeat a plan. Default: random. */
      seed?: number | bigint | string;
      /** Names of those of our nodes that may send parts (see `listournodes`). Default: all. */
      nodes?: readonly string[];
      /** Whether all parts must leave from one of our nodes: the cheapest that can pay alone. */
      one_node?: boolean;
    };
    result: {
      /** Pass it to the payment command to repeat this plan. */
      readonly seed: number | bigint;
      /** Amount the recipient would receive, including the shadow amount. */
      readonly amount_msat: number | bigint;
      /** Amount that would be sent, including fees. */
      readonly amount_sent_msat: number | bigint;
      /** The difference between the two. */
      readonly fee_msat: number | bigint;
      /** Amount the recipient would receive beyond the requested amount. */
      readonly shadow_msat: number | bigint;
      /** Blocks added to make the route look longer. */
      readonly shadow_delay: number;
      /** Maximum number of blocks for which our money would be locked. */
      readonly delay: number;
      /** Probability that all parts arrive, in parts per million. */
      readonly probability_ppm: number;
      /** If several of our nodes may send: objects of node, and fee_msat, parts and probability_ppm if it sent everything, or error (code, message). */
      readonly from_each_node?: readonly {
        readonly node: string;
        readonly fee_msat?: number | bigint;
        readonly parts?: number;
        readonly probability_ppm?: number;
        readonly error?: {
          readonly code: number | bigint;
          readonly message: string;
        };
      }[];
      /** Objects of node (if several of ours may send), amount_msat, amount_sent_msat, probability_ppm, odds and route, hop by hop. `odds` splits the probability: balances_ppm, that all balances suffice; nodes_ppm, that all nodes answer; searched_ppm, with evenly likely balances and no node away, as the search has it; unknown_hops, hops of whose balance nothing is known. Their product is corrected by what became of earlier odds. */
      readonly parts: readonly {
        readonly node?: string;
        readonly odds?: {
          readonly balances_ppm: number;
          readonly nodes_ppm: number;
          readonly searched_ppm: number;
          readonly unknown_hops: number;
        };
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly probability_ppm: number;
        readonly route: readonly {
          readonly short_channel_id_dir: string;
          readonly id: string;
          readonly amount_msat: number | bigint;
          readonly delay: number;
        }[];
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Quote a payment: expected fee, and a fee limit that binds. */
  quote: {
    params: {
      /** A BOLT 11 or BOLT 12 invoice, or the id of a node that takes keysends. */
      invstring: string;
      /** Amount to pay. For a node, and for an invoice without an amount. */
      amount_msat?: number | bigint | string;
      /** Maximum fee. Default: 1 % of the amount, but at least 5 sat. */
      maxfee?: number | bigint | string;
      /** How many of a million payments that can complete at all must complete within the quoted limit: 500000 to 999000. */
      confidence_ppm?: number | string;
      /** Seconds for which the quote is valid, at most 3600. */
      expires_in?: number | string;
      /** Whether to reserve the money of the first routes in our own channels while the quote is open, so that other payments do not use it. */
      hold?: boolean;
      /** Layers to apply, after those that all payments use. */
      layers?: readonly string[];
      /** Maximum number of blocks for which money may be locked on any route, including the recipient’s final delay. Capped at 2015. */
      maxdelay?: number | string;
      /** Names of those of our nodes that may send parts (see `listournodes`). Default: all. */
      nodes?: readonly string[];
      /** Whether all parts must leave from one of our nodes: the cheapest that can pay alone. */
      one_node?: boolean;
    };
    result: {
      /** Pass it to `xpay` or `xkeysend` as `quote`. */
      readonly quote_id: string;
      /** The command that pays it: `xpay` for an invoice, `xkeysend` for a node. */
      readonly command: string;
      /** The invoice or node id. */
      readonly invstring: string;
      /** Amount the recipient gets. */
      readonly amount_msat: number | bigint;
      /** Expected fee. */
      readonly fee_msat: number | bigint;
      /** Binding fee limit: the payment costs at most this, or does not happen. */
      readonly maxfee_msat: number | bigint;
      /** Share of the payments that can complete which complete within the limit. */
      readonly confidence_ppm: number;
      /** Probability that the payment completes within the limit. */
      readonly probability_ppm: number;
      /** Number of parts of the first attempt. */
      readonly parts: number;
      /** What the quote holds in our own channels. */
      readonly held_msat: number | bigint;
      /** UNIX time. */
      readonly created_at: number | bigint;
      /** UNIX time. */
      readonly expires_at: number | bigint;
      /** The parts of the first attempt: objects of amount_msat, amount_sent_msat, probability_ppm and route, hop by hop. */
      readonly routes: readonly {
        readonly node?: string;
        readonly odds?: {
          readonly balances_ppm: number;
          readonly nodes_ppm: number;
          readonly searched_ppm: number;
          readonly unknown_hops: number;
        };
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly probability_ppm: number;
        readonly route: readonly {
          readonly short_channel_id_dir: string;
          readonly id: string;
          readonly amount_msat: number | bigint;
          readonly delay: number;
        }[];
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Move money between our channels, over the network. */
  rebalance: {
    params: {
      /** Maximum fee of everything together. */
      maxfee: number | bigint | string;
      /** What these channels should be able to send: objects of short_channel_id and percent of what they can send and receive. Other channels are not touched. Default: the same share for all channels. */
      targets?: readonly {
        readonly short_channel_id: string;
        readonly percent: number;
      }[];
      /** Maximum fee of each part, in ppm of what it moves. */
      maxfee_ppm?: number | string;
      /** Maximum amount to move. */
      amount_msat?: number | bigint | string;
      /** Channels that are nearer to their share than this are left as they are. */
      least_msat?: number | bigint | string;
      /** Number of seconds during which new attempts of each part start. */
      retry_for?: number | string;
      /** Layers to apply, after those that all payments use. */
      layers?: readonly string[];
    };
    result: {
      /** What would have to move for all channels to reach their shares. */
      readonly wanted_msat: number | bigint;
      /** What was moved. */
      readonly amount_msat: number | bigint;
      /** What it cost. */
      readonly fee_msat: number | bigint;
      /** Objects of out, in, amount_msat, fee_msat, status (complete, failed), and error (code, message) if it failed. */
      readonly parts: readonly {
        readonly out: string;
        readonly in: string;
        readonly amount_msat: number | bigint;
        readonly fee_msat: number | bigint;
        readonly status: 'complete' | 'failed';
        readonly error?: {
          readonly code: number | bigint;
          readonly message: string;
        };
      }[];
      /** As in `planrebalance`. */
      readonly obstacle?: {
        readonly code: number | bigint;
        readonly message: string;
      };
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Compare our payments with the node's records and with the application's list. Changes nothing. */
  reconcile: {
    params: {
      /** Only payments that began at this time or later. UNIX seconds. */
      since?: number | bigint | string;
      /** The application's list as text. */
      csv?: string;
      /** The application's list: the name of a file in the data directory, of at most 64 MB. */
      file?: string;
    };
    result: {
      /** Complete payments: count, amount_msat and amount_sent_msat. */
      readonly complete: {
        readonly count: number | bigint;
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly simulated?: boolean;
      };
      /** Failed payments: count, amount_msat and amount_sent_msat. */
      readonly failed: {
        readonly count: number | bigint;
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly simulated?: boolean;
      };
      /** Payments without an outcome: count, amount_msat and amount_sent_msat. */
      readonly pending: {
        readonly count: number | bigint;
        readonly amount_msat: number | bigint;
        readonly amount_sent_msat: number | bigint;
        readonly simulated?: boolean;
      };
      /** Parts that the node lists. Absent if it cannot list them; then each is asked for. */
      readonly node_htlcs?: number | bigint;
      /** Parts that are so old that a simulated network does not remember them. */
      readonly not_judged: number | bigint;
      /** What journal and node do not explain to each other. */
      readonly unexplained_msat: number | bigint;
      /** The same for journal and list. */
      readonly list_unexplained_msat?: number | bigint;
      /** Number of differences. */
      readonly difference_count: number | bigint;
      /** Objects of kind, payment_id, payment_hash, partid, key, journal_msat, node_msat and list_msat. */
      readonly differences: readonly {
        readonly kind:
          | 'missing_at_node'
          | 'missing_in_journal'
          | 'failed_in_journal'
          | 'amount_differs'
          | 'missing_payment'
          | 'not_paid'
          | 'still_pending'
          | 'listed_amount_differs'
          | 'missing_in_list';
        readonly payment_id?: string;
        readonly payment_hash?: string;
        readonly partid?: number | bigint;
        readonly key?: string;
        readonly journal_msat?: number | bigint;
        readonly node_msat?: number | bigint;
        readonly list_msat?: number | bigint;
        readonly simulated?: boolean;
      }[];
      /** Payments without an outcome: payment_id, payment_hash, idempotency_key, parts, in_flight_msat, reason and certain_at_height. */
      readonly open: readonly {
        readonly payment_id: string;
        readonly payment_hash: string;
        readonly idempotency_key?: string;
        readonly parts: number;
        readonly in_flight_msat: number | bigint;
        readonly reason: string;
        readonly certain_at_height?: number;
        readonly simulated?: boolean;
      }[];
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Describe all commands as an OpenRPC document. */
  'rpc.discover': {
    params: Record<string, never>;
    result: {
      /** Version of the OpenRPC specification. */
      readonly openrpc: string;
      /** Title and version of this service. */
      readonly info: {
        readonly title: string;
        readonly version: string;
      };
      /** The commands. */
      readonly methods: readonly Readonly<Record<string, unknown>>[];
    };
  };
  /** Change an option while the service runs. */
  setconfig: {
    params: {
      /** Name of the option: `askrene-timeout` or `log-level`. */
      config: string;
      /** The new value. For `askrene-timeout`, the maximum number of seconds per route query; 0 refuses all queries. For `log-level`, `debug`, `info`, `unusual` or `broken`, for all areas of the service or for one: `info,debug:payments`. */
      val?: string;
      /** Whether to discard the value when the service stops. */
      transient?: boolean;
    };
    result: {
      /** config (its name), value_int or value_str, source and dynamic, as in `listconfigs`. */
      readonly config: {
        readonly config: string;
        readonly value_int?: number | bigint;
        readonly value_str?: string;
        readonly values_str?: readonly string[];
        readonly set?: boolean;
        readonly source?: string;
        readonly sources?: readonly string[];
        readonly dynamic?: boolean;
      };
    };
  };
  /** Set the floor, price, limits and state of one of our nodes. */
  setournode: {
    params: {
      /** Name of the node. */
      node: string;
      /** `on`: it pays. `drain`: it pays before all others, until it is empty. `rest`: it sends no new parts. `off`: the same, and it is expected not to respond. */
      state?: 'on' | 'drain' | 'rest' | 'off';
      /** Amount that our payments leave spendable on it. */
      floor?: number | bigint | string;
      /** Cost of spending from it, in parts per million of the amount. It is not paid to anyone: a search prefers the node whose fees and price are lowest together. Negative to use it first. */
      price?: number | string;
      /** Largest single part. 0 for no limit. */
      largest_part?: number | bigint | string;
      /** Maximum number of HTLCs of ours at once. 0 for no limit. */
      max_htlcs?: number | string;
    };
    result: {
      /** name, id, kind, version, state, height, channels, spendable_msat, may_spend_msat (what payments may take now), receivable_msat, htlcs and in_flight_msat (ours, in flight), floor_msat, price_ppm, largest_part_msat, max_htlcs, last_hour and last_day (HTLCs that ended: settled, failed, amount_msat, fee_msat) and, if it takes no new parts, resting (why). */
      readonly node: {
        readonly name: string;
        readonly id: string;
        readonly kind: string;
        readonly version?: string;
        readonly state: 'on' | 'drain' | 'rest' | 'off';
        readonly height: number;
        readonly channels: number;
        readonly spendable_msat: number | bigint;
        readonly may_spend_msat: number | bigint;
        readonly receivable_msat: number | bigint;
        readonly htlcs: number;
        readonly in_flight_msat: number | bigint;
        readonly floor_msat: number | bigint;
        readonly price_ppm: number | bigint;
        readonly largest_part_msat?: number | bigint;
        readonly max_htlcs?: number;
        readonly last_hour: {
          readonly settled: number;
          readonly failed: number;
          readonly amount_msat: number | bigint;
          readonly fee_msat: number | bigint;
        };
        readonly last_day: {
          readonly settled: number;
          readonly failed: number;
          readonly amount_msat: number | bigint;
          readonly fee_msat: number | bigint;
        };
        readonly resting?: string;
      };
      /** Present if the floor leaves nothing to spend now. */
      readonly warning_floor?: string;
    };
  };
  /** Show the runes that this node created, or one rune. */
  showrunes: {
    params: {
      /** The only rune to show. */
      rune?: string;
    };
    result: {
      /** rune, unique_id, restrictions (each with its alternatives), restrictions_as_english; last_used in seconds, if it was used; blacklisted, if it is; stored and our_rune, only if `false`. */
      readonly runes: readonly {
        readonly rune: string;
        readonly unique_id?: string;
        readonly restrictions: readonly {
          readonly alternatives: readonly {
            readonly fieldname: string;
            readonly value: string;
            readonly condition: string;
            readonly english: string;
          }[];
          readonly english: string;
        }[];
        readonly restrictions_as_english: string;
        readonly last_used?: number;
        readonly blacklisted?: boolean;
        readonly stored?: boolean;
        readonly our_rune?: boolean;
      }[];
    };
  };
  /** Create a BOLT 11 invoice of a node of the simulated network. */
  simulatedinvoice: {
    params: {
      /** The node to be paid. */
      id: string;
      /** Amount of the invoice. Without it the payer chooses. */
      amount_msat?: number | bigint | string;
      /** What the payment is for. */
      description?: string;
      /** Number of seconds until the invoice expires. */
      expiry?: number | string;
      /** Minimum final CLTV expiry delta in blocks. */
      cltv?: number | string;
      /** Number of route hints: channels into the node, largest first. */
      hints?: number | string;
      /** Whether the invoice has payment metadata that the payer must send. */
      metadata?: boolean;
    };
    result: {
      /** The invoice. */
      readonly bolt11: string;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Stop the service. */
  stop: {
    params: Record<string, never>;
    result: object | string;
  };
  /** Move money from one of our nodes to another. */
  transfer: {
    params: {
      /** Name of the node that pays. */
      from: string;
      /** Name of the node that receives. */
      to: string;
      /** Amount to move. */
      amount_msat: number | bigint | string;
      /** Maximum fee. Default: 1 % of the amount, but at least 5 sat. */
      maxfee?: number | bigint | string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string | number;
      /** Layers to apply, after those that all payments use. */
      layers?: readonly string[];
      /** Number of seconds during which new attempts start. An attempt in flight may take longer. */
      retry_for?: number | string;
      /** Maximum number of blocks for which money may be locked on any route, including the recipient’s final delay. Capped at 2015. */
      maxdelay?: number | string;
      /** A key chosen by the caller. Repeating a request with the same key returns the outcome of the first one and pays nothing, even after a restart. A different request with the same key is refused. */
      idempotency_key?: string;
      /** Seed of random choices, to repeat a plan. Default: random. */
      seed?: number | bigint | string;
    };
    result: {
      /** Proof that the payment arrived. */
      readonly payment_preimage: string;
      /** Amount received by the recipient. */
      readonly amount_msat: number | bigint;
      /** Amount sent, including fees. */
      readonly amount_sent_msat: number | bigint;
      /** Number of failed attempts. */
      readonly failed_parts: number;
      /** Number of successful attempts. */
      readonly successful_parts: number;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Wait until an attempt succeeds or fails. */
  waitsendpay: {
    params: {
      /** Payment hash of the payment. */
      payment_hash: string;
      /** Maximum number of seconds to wait. Default: until the attempt has finished. */
      timeout?: number | string;
      /** Which part. */
      partid?: number | bigint | string;
      /** Group of parts. Default: the latest. */
      groupid?: number | bigint | string;
    };
    result: {
      /** Index of the attempt, in order of creation. */
      readonly created_index: number | bigint;
      /** The same as created_index. */
      readonly id: number | bigint;
      /** SHA-256 of the preimage. */
      readonly payment_hash: string;
      /** Group of parts. */
      readonly groupid: number | bigint;
      /** Index of its latest change, counted over all attempts. */
      readonly updated_index?: number | bigint;
      /** Part number, omitted if 0. */
      readonly partid?: number | bigint;
      /** Node id of the destination. */
      readonly destination: string;
      /** What arrived. */
      readonly amount_msat: number | bigint;
      /** Amount sent. */
      readonly amount_sent_msat: number | bigint;
      /** UNIX time of creation. */
      readonly created_at: number | bigint;
      /** UNIX time of completion. */
      readonly completed_at: number | bigint;
      /** `complete` */
      readonly status: string;
      /** Proof that it arrived. */
      readonly payment_preimage: string;
      /** The label of the payment. */
      readonly label?: string;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Pay a node by its id, in several parts if necessary. */
  xkeysend: {
    params: {
      /** Node id of the recipient. */
      destination?: string;
      /** Amount to send. `all`: everything that we can send, fees included. */
      amount_msat?: number | bigint | string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string | number;
      /** Maximum fee. Default: 1 % of the amount, but at least 5 sat. */
      maxfee?: number | bigint | string;
      /** Layers to apply, after those that all payments use. */
      layers?: readonly string[];
      /** Number of seconds during which new attempts start. An attempt in flight may take longer. */
      retry_for?: number | string;
      /** Maximum number of blocks for which money may be locked on any route, including the recipient’s final delay. Capped at 2015. */
      maxdelay?: number | string;
      /** Additional TLV fields for the recipient: type to value in hex. */
      extratlvs?: Readonly<Record<string, string>>;
      /** A key chosen by the caller. Repeating a request with the same key returns the outcome of the first one and pays nothing, even after a restart. A different request with the same key is refused. */
      idempotency_key?: string;
      /** Seed of random choices, to repeat a plan. Default: random. */
      seed?: number | bigint | string;
      /** Names of those of our nodes that may send parts (see `listournodes`). Default: all. */
      nodes?: readonly string[];
      /** Whether all parts must leave from one of our nodes: the cheapest that can pay alone. */
      one_node?: boolean;
      /** Pay what this quote is for, within its fee limit; see `quote`. Goes with destination (the same), label, retry_for, extratlvs and idempotency_key only. */
      quote?: string;
      /** Whether amount_msat is everything that leaves us: the recipient gets what remains after fees. */
      include_fee?: boolean;
    };
    result: {
      /** Proof that the payment arrived. */
      readonly payment_preimage: string;
      /** Amount received by the recipient. */
      readonly amount_msat: number | bigint;
      /** Amount sent, including fees. */
      readonly amount_sent_msat: number | bigint;
      /** Number of failed attempts. */
      readonly failed_parts: number;
      /** Number of successful attempts. */
      readonly successful_parts: number;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
  /** Pay an invoice or an offer. */
  xpay: {
    params: {
      /** A BOLT 11 or BOLT 12 invoice, an offer, or the name NAME@DOMAIN of an offer (BIP 353). */
      invstring?: string;
      /** Amount to pay. Only for an invoice or offer without an amount. `all` (for an invoice): everything that we can send, fees included. */
      amount_msat?: number | bigint | string;
      /** Maximum fee. Default: 1 % of the amount, but at least 5 sat. */
      maxfee?: number | bigint | string;
      /** Layers to apply, after those that all payments use. */
      layers?: readonly string[];
      /** Number of seconds during which new attempts start. For an offer this includes fetching the invoice. */
      retry_for?: number | string;
      /** Pay only this part of the invoice amount. Another payer pays the rest. */
      partial_msat?: number | bigint | string;
      /** Maximum number of blocks for which money may be locked on any route, including the recipient’s final delay. Capped at 2015. */
      maxdelay?: number | string;
      /** A note for the issuer of an offer. Its invoice repeats it. */
      payer_note?: string;
      /** Attached to the payment. `listpays` and `listsendpays` return it. */
      label?: string | number;
      /** Id of the request of ours (see `invoicerequest`) that this BOLT 12 invoice answers. A single-use request is paid only once. */
      localinvreqid?: string;
      /** Repeating a request with the same key returns the outcome of the first one. It fetches nothing and pays nothing. A different request with the same key is refused. */
      idempotency_key?: string;
      /** Seed of random choices, to repeat a plan. Default: random. */
      seed?: number | bigint | string;
      /** Names of those of our nodes that may send parts (see `listournodes`). Default: all. */
      nodes?: readonly string[];
      /** Whether all parts must leave from one of our nodes: the cheapest that can pay alone. */
      one_node?: boolean;
      /** Pay what this quote is for, within its fee limit; see `quote`. Goes with invstring (the same), label, retry_for and idempotency_key only. */
      quote?: string;
      /** Whether amount_msat is everything that leaves us: the recipient gets what remains after fees. */
      include_fee?: boolean;
    };
    result: {
      /** Proof that the payment arrived. */
      readonly payment_preimage: string;
      /** Amount received by the recipient. */
      readonly amount_msat: number | bigint;
      /** Amount sent, including fees. */
      readonly amount_sent_msat: number | bigint;
      /** Number of failed attempts. */
      readonly failed_parts: number;
      /** Number of successful attempts. */
      readonly successful_parts: number;
      /** `true` on the simulated network, where no real money moves. Also present in each row. */
      readonly simulated?: boolean;
    };
  };
}
