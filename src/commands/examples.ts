/**
 * Examples of calls with real results: made by `npm run examples` from a node on the simulated network, and not by
 * hand. Lists have their first element only, and long texts their beginning.
 */
import type { CommandExample } from '../rpc/command.ts';

/** In the order in which they were asked. */
export const EXAMPLES: readonly (CommandExample & { readonly command: string })[] = [
  {
    command: 'getinfo',
    params: {},
    result: {
      id: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
      alias: 'fulgurite-eb55aa39',
      color: '02eb55',
      num_peers: 8,
      num_pending_channels: 0,
      num_active_channels: 8,
      num_inactive_channels: 0,
      address: [],
      binding: [],
      version: '0.2.0',
      blockheight: 500084,
      network: 'bitcoin',
      network_kind: 'simulated',
      fees_collected_msat: 0,
      'lightning-dir': '/home/you/.fulgurite',
      our_features: { init: '8002024100', node: '', channel: '', invoice: '' },
      simulated: true,
    },
  },
  {
    command: 'help',
    params: { command: 'keysend' },
    result: {
      help: [
        {
          command:
            'keysend (DEPRECATED!) destination amount_msat [label] [maxfeepercent] [retry_for] [maxdelay] [exemptfee] [routehints] [extratlvs] [maxfee] [idempotency_key] [seed] [nodes] [one_node]',
        },
      ],
      'format-hint': 'simple',
    },
  },
  {
    command: 'listnodes',
    params: {},
    result: {
      nodes: [
        {
          nodeid: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          alias: 'synthetic-0',
          color: 'c581bf',
          last_timestamp: 1770076800,
          features: '80008002024100',
          addresses: [],
        },
      ],
    },
  },
  {
    command: 'listchannels',
    params: {},
    result: {
      channels: [
        {
          source: '03091f559e2704cd80e41cd103ca4a60fd91010927674016b09f40c1d450368cf4',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          short_channel_id: '500000x277x0',
          direction: 0,
          public: true,
          amount_msat: 14572797000,
          message_flags: 1,
          channel_flags: 0,
          active: true,
          last_update: 1769725692,
          base_fee_millisatoshi: 0,
          fee_per_millionth: 500,
          delay: 100,
          htlc_minimum_msat: 1000,
          htlc_maximum_msat: 14427069030,
          features: '',
        },
      ],
    },
  },
  {
    command: 'listpeerchannels',
    params: {},
    result: {
      channels: [
        {
          peer_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          peer_connected: true,
          reestablished: true,
          channel_type: { bits: [], names: [] },
          updates: {
            local: {
              htlc_minimum_msat: 1,
              htlc_maximum_msat: 19800000000,
              cltv_expiry_delta: 40,
              fee_base_msat: 1000,
              fee_proportional_millionths: 100,
            },
            remote: {
              htlc_minimum_msat: 1,
              htlc_maximum_msat: 19800000000,
              cltv_expiry_delta: 40,
              fee_base_msat: 1000,
              fee_proportional_millionths: 100,
            },
          },
          features: [],
          state: 'CHANNELD_NORMAL',
          scratch_txid: '9110bf7964db171c0e3a07321e659b4bd5197443dcd4b096393a293e269c5653',
          last_tx_fee_msat: 0,
          lost_state: false,
          feerate: { perkw: 253, perkb: 1012 },
          owner: 'simulation',
          short_channel_id: '500084x1x0',
          direction: 0,
          channel_id: '3d174d3bdf53e55c73a502ed983bd61c34570acd5be24b35be1360dc7aefda07',
          funding_txid: '07daef7adc6013be354be25bcd0a57341cd63b98ed02a5735ce553df3b4d173d',
          funding_outnum: 0,
          close_to: '6a0973696d756c61746564',
          private: true,
          opener: 'local',
          alias: { local: '500084x1x0', remote: '500084x1x0' },
          funding: {
            local_funds_msat: 20000000000,
            remote_funds_msat: 0,
            pushed_msat: 5000000000,
            withheld: false,
          },
          to_us_msat: 15000000000,
          min_to_us_msat: 15000000000,
          max_to_us_msat: 15000000000,
          total_msat: 20000000000,
          spendable_msat: 14800000000,
          receivable_msat: 4800000000,
          fee_base_msat: 1000,
          fee_proportional_millionths: 100,
          dust_limit_msat: 0,
          their_max_htlc_value_in_flight_msat: 20000000000,
          our_max_htlc_value_in_flight_msat: 20000000000,
          their_reserve_msat: 200000000,
          our_reserve_msat: 200000000,
          minimum_htlc_in_msat: 1,
          minimum_htlc_out_msat: 1,
          maximum_htlc_out_msat: 19800000000,
          their_to_self_delay: 0,
          our_to_self_delay: 0,
          max_accepted_htlcs: 483,
          state_changes: [
            {
              timestamp: '2026-11-24T04:16:56.537Z',
              old_state: 'CHANNELD_AWAITING_LOCKIN',
              new_state: 'CHANNELD_NORMAL',
              cause: 'user',
              message: 'Opened with the simulated network',
            },
          ],
          status: ['CHANNELD_NORMAL:Channel ready for use.'],
          in_payments_offered: 0,
          in_offered_msat: 0,
          in_payments_fulfilled: 0,
          in_fulfilled_msat: 0,
          out_payments_offered: 0,
          out_offered_msat: 0,
          out_payments_fulfilled: 0,
          out_fulfilled_msat: 0,
          htlcs: [],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'listpeers',
    params: {},
    result: {
      peers: [
        {
          id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          connected: true,
          num_channels: 1,
          netaddr: ['[2001:db8:c581:bf31:c4c:97b0:5e5e:6fed]:9735'],
          features: '8002024100',
        },
      ],
    },
  },
  {
    command: 'listfunds',
    params: {},
    result: {
      outputs: [],
      channels: [
        {
          peer_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          connected: true,
          state: 'CHANNELD_NORMAL',
          channel_id: '3d174d3bdf53e55c73a502ed983bd61c34570acd5be24b35be1360dc7aefda07',
          short_channel_id: '500084x1x0',
          our_amount_msat: 15000000000,
          amount_msat: 20000000000,
          funding_txid: '07daef7adc6013be354be25bcd0a57341cd63b98ed02a5735ce553df3b4d173d',
          funding_output: 0,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'connect',
    params: { id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c' },
    result: {
      id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      features: '8002024100',
      direction: 'out',
      address: { type: 'ipv6', address: '2001:db8:c581:bf31:c4c:97b0:5e5e:6fed', port: 9735 },
    },
  },
  {
    command: 'disconnect',
    params: { id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c' },
    error: { code: -32005, message: 'connections of this network cannot be closed' },
  },
  {
    command: 'getroutes',
    params: {
      source: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
      layers: ['auto.localchans', 'auto.sourcefree'],
      maxfee_msat: '5sat',
      final_cltv: 18,
      pareto: true,
    },
    result: {
      probability_ppm: 1000000,
      routes: [
        {
          probability_ppm: 1000000,
          amount_msat: 1000000,
          final_cltv: 18,
          path: [
            {
              short_channel_id_dir: '500084x1x0/0',
              node_id_in: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
              node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              amount_in_msat: 1000000,
              amount_out_msat: 1000000,
              cltv_in: 18,
              cltv_out: 18,
              next_node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              amount_msat: 1000000,
              delay: 18,
            },
          ],
        },
      ],
      front: [
        {
          fee_msat: 0,
          probability_ppm: 1000000,
          routes: [
            {
              probability_ppm: 1000000,
              amount_msat: 1000000,
              final_cltv: 18,
              path: [
                {
                  short_channel_id_dir: '500084x1x0/0',
                  node_id_in: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
                  node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_in_msat: 1000000,
                  amount_out_msat: 1000000,
                  cltv_in: 18,
                  cltv_out: 18,
                  next_node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_msat: 1000000,
                  delay: 18,
                },
              ],
            },
          ],
        },
      ],
    },
  },
  {
    command: 'getroutes-batch',
    params: {
      source: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
      requests: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: '1000sat',
        },
      ],
      layers: ['auto.localchans', 'auto.sourcefree'],
      maxfee_msat: '5sat',
    },
    result: {
      answers: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          probability_ppm: 1000000,
          routes: [
            {
              probability_ppm: 1000000,
              amount_msat: 1000000,
              final_cltv: 18,
              path: [
                {
                  short_channel_id_dir: '500084x1x0/0',
                  node_id_in: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
                  node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_in_msat: 1000000,
                  amount_out_msat: 1000000,
                  cltv_in: 18,
                  cltv_out: 18,
                  next_node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_msat: 1000000,
                  delay: 18,
                },
              ],
            },
          ],
        },
      ],
    },
  },
  {
    command: 'askrene-score',
    params: { path: ['500000x277x0/0'], amount_msat: '1000sat', layers: [] },
    result: {
      probability_ppm: 999931,
      amount_msat: 1000000,
      amount_sent_msat: 1000500,
      fee_msat: 500,
      delay: 118,
      faults: [],
      path: [
        {
          short_channel_id_dir: '500000x277x0/0',
          node_id_in: '03091f559e2704cd80e41cd103ca4a60fd91010927674016b09f40c1d450368cf4',
          node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_in_msat: 1000500,
          amount_out_msat: 1000000,
          cltv_in: 118,
          cltv_out: 18,
          probability_ppm: 999931,
          enabled: true,
          capacity_msat: 14572797000,
          minimum_msat: 0,
          maximum_msat: 14572797000,
          htlc_minimum_msat: 1000,
          htlc_maximum_msat: 14427069030,
          fee_base_msat: 0,
          fee_proportional_millionths: 500,
          cltv_expiry_delta: 100,
          bias: 0,
        },
      ],
    },
  },
  {
    command: 'askrene-create-layer',
    params: { layer: 'mine' },
    result: {
      layers: [
        {
          layer: 'mine',
          persistent: false,
          disabled_nodes: [],
          created_channels: [],
          channel_updates: [],
          constraints: [],
          impressions: [],
          biases: [],
          node_biases: [],
        },
      ],
    },
  },
  {
    command: 'askrene-create-channel',
    params: {
      layer: 'mine',
      source: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      short_channel_id: '1x2x3',
      capacity_msat: '100000sat',
    },
    result: {},
  },
  {
    command: 'askrene-update-channel',
    params: {
      layer: 'mine',
      short_channel_id_dir: '500000x277x0/0',
      enabled: true,
      htlc_maximum_msat: '50000sat',
    },
    result: {},
  },
  {
    command: 'askrene-inform-channel',
    params: {
      layer: 'mine',
      short_channel_id_dir: '500000x277x0/0',
      amount_msat: '20000sat',
      inform: 'constrained',
    },
    result: {
      constraints: [
        {
          layer: 'mine',
          short_channel_id_dir: '500000x277x0/0',
          timestamp: 1795493816,
          maximum_msat: 19999999,
        },
      ],
      impressions: [],
    },
  },
  {
    command: 'askrene-bias-channel',
    params: { layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5 },
    result: {
      biases: [{ layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795493816 }],
    },
  },
  {
    command: 'askrene-bias-node',
    params: {
      layer: 'mine',
      node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      direction: 'out',
      bias: 10,
    },
    result: {
      node_biases: [
        {
          layer: 'mine',
          node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          in_bias: 0,
          out_bias: 10,
          timestamp: 1795493816,
        },
      ],
    },
  },
  {
    command: 'askrene-disable-node',
    params: { layer: 'mine', node: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac' },
    result: {},
  },
  {
    command: 'askrene-listlayers',
    params: { layer: 'mine' },
    result: {
      layers: [
        {
          layer: 'mine',
          persistent: false,
          disabled_nodes: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
          created_channels: [
            {
              source: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
              destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              short_channel_id: '1x2x3',
              capacity_msat: 100000000,
            },
          ],
          channel_updates: [
            { short_channel_id_dir: '500000x277x0/0', enabled: true, htlc_maximum_msat: 50000000 },
          ],
          constraints: [
            { short_channel_id_dir: '500000x277x0/0', timestamp: 1795493816, maximum_msat: 19999999 },
          ],
          impressions: [],
          biases: [{ short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795493816 }],
          node_biases: [
            {
              node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              in_bias: 0,
              out_bias: 10,
              timestamp: 1795493816,
            },
          ],
        },
      ],
    },
  },
  {
    command: 'listlayers',
    params: {},
    result: {
      layers: [
        {
          layer: 'xpay',
          persistent: true,
          disabled_nodes: 0,
          created_channels: 0,
          channel_updates: 0,
          constraints: 0,
          impressions: 0,
          biases: 0,
          node_biases: 0,
        },
      ],
    },
  },
  {
    command: 'listbeliefs',
    params: { layer: 'mine' },
    result: {
      beliefs: [
        {
          short_channel_id_dir: '500000x277x0/0',
          source: '03091f559e2704cd80e41cd103ca4a60fd91010927674016b09f40c1d450368cf4',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          capacity_msat: 14572797000,
          minimum_msat: 0,
          maximum_msat: 19999999,
          records: 1,
          timestamp: 1795493816,
        },
      ],
      num_beliefs: 1,
    },
  },
  {
    command: 'askrene-difflayers',
    params: {
      source: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
      layers: ['auto.localchans'],
      maxfee_msat: '5sat',
      final_cltv: 18,
      with: 'mine',
    },
    result: {
      before: {
        layers: ['auto.localchans'],
        probability_ppm: 1000000,
        fee_msat: 1100,
        routes: [
          {
            probability_ppm: 1000000,
            amount_msat: 1000000,
            final_cltv: 18,
            path: [
              {
                short_channel_id_dir: '500084x1x0/0',
                node_id_in: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
                node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                amount_in_msat: 1001100,
                amount_out_msat: 1000000,
                cltv_in: 58,
                cltv_out: 18,
                next_node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                amount_msat: 1001100,
                delay: 58,
              },
            ],
          },
        ],
      },
      after: {
        layers: ['auto.localchans'],
        probability_ppm: 1000000,
        fee_msat: 1100,
        routes: [
          {
            probability_ppm: 1000000,
            amount_msat: 1000000,
            final_cltv: 18,
            path: [
              {
                short_channel_id_dir: '500084x1x0/0',
                node_id_in: '02eb55aa39fc84cf437926e701da8f6d733ad2a9509a954dc7fbc8e5fe7cb0b768',
                node_id_out: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                amount_in_msat: 1001100,
                amount_out_msat: 1000000,
                cltv_in: 58,
                cltv_out: 18,
                next_node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                amount_msat: 1001100,
                delay: 58,
              },
            ],
          },
        ],
      },
      changed: false,
      entries: [
        {
          layer: 'mine',
          kind: 'node_bias',
          node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          in_bias: 0,
          out_bias: 10,
          timestamp: 1795493816,
        },
      ],
      num_entries: 1,
    },
  },
  {
    command: 'askrene-reserve',
    params: { path: [{ short_channel_id_dir: '500000x277x0/0', amount_msat: '1000sat' }] },
    result: {},
  },
  {
    command: 'askrene-listreservations',
    params: {},
    result: {
      reservations: [
        {
          short_channel_id_dir: '500000x277x0/0',
          amount_msat: 1000000,
          age_in_seconds: 0,
          command_id: 'cli:askrene-reserve#25593',
        },
      ],
    },
  },
  {
    command: 'askrene-unreserve',
    params: { path: [{ short_channel_id_dir: '500000x277x0/0', amount_msat: '1000sat' }] },
    result: {},
  },
  {
    command: 'askrene-remove-channel-update',
    params: { layer: 'mine', short_channel_id_dir: '500000x277x0/0' },
    result: {},
  },
  {
    command: 'askrene-age',
    params: { layer: 'mine', cutoff: 1700000000 },
    result: { layer: 'mine', num_removed: 0 },
  },
  { command: 'askrene-remove-layer', params: { layer: 'mine' }, result: {} },
  {
    command: 'plankeysend',
    params: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
    },
    result: {
      seed: 16116443211328658055n,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      fee_msat: 0,
      shadow_msat: 0,
      shadow_delay: 0,
      delay: 42,
      probability_ppm: 980000,
      parts: [
        {
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          probability_ppm: 980000,
          route: [
            {
              short_channel_id_dir: '500084x1x0/0',
              id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              amount_msat: 1000000,
              delay: 42,
            },
          ],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'keysend',
    params: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
      label: 'tea',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d',
      created_at: 1795493816.806,
      parts: 1,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      payment_preimage: 'd3552237a14a98ca762a8c777f340698efa1f41a372c894eff2460c4ba7c5996',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'xkeysend',
    params: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
    },
    result: {
      payment_preimage: '7c2afa85bd260287f8e7045e9debc225ca4140c5056807070f2b9959b7b67e56',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'waitsendpay',
    params: { payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d' },
    result: {
      created_index: 1,
      id: 1,
      payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d',
      groupid: 0,
      updated_index: 1,
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      created_at: 1795493816,
      completed_at: 1795493816,
      status: 'complete',
      payment_preimage: 'd3552237a14a98ca762a8c777f340698efa1f41a372c894eff2460c4ba7c5996',
      label: 'tea',
      simulated: true,
    },
  },
  {
    command: 'simulatedinvoice',
    params: {
      id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '2000sat',
      description: 'cake',
    },
    result: {
      bolt11:
        'lnbc20u1p4s2raesp5qqqqqqqqqq0gfqrtq5wujqqj8qcg79jwl9tc2wehu42a5nuttkqspp5d70fpvhmlh0wa6xys7myze3edn24aldtep6dk7azku6um30unuaqdq8vdskkegxqrrsscqpj9qyysgqyl5ynw278v3hz794z035zzashvh0deqkm453wjlva9g7sqwng8nn4ycd4ly3fmqfld6xmakwu2ryhgn5e0lp884auvlky8k8cgkltvsqpzemw4',
      simulated: true,
    },
  },
  {
    command: 'planxpay',
    params: {
      invstring:
        'lnbc20u1p4s2raesp5qqqqqqqqqq0gfqrtq5wujqqj8qcg79jwl9tc2wehu42a5nuttkqspp5d70fpvhmlh0wa6xys7myze3edn24aldtep6dk7azku6um30unuaqdq8vdskkegxqrrsscqpj9qyysgqyl5ynw278v3hz794z035zzashvh0deqkm453wjlva9g7sqwng8nn4ycd4ly3fmqfld6xmakwu2ryhgn5e0lp884auvlky8k8cgkltvsqpzemw4',
    },
    result: {
      seed: 16673970785038978016n,
      amount_msat: 2000000,
      amount_sent_msat: 2000000,
      fee_msat: 0,
      shadow_msat: 0,
      shadow_delay: 0,
      delay: 18,
      probability_ppm: 990401,
      parts: [
        {
          amount_msat: 2000000,
          amount_sent_msat: 2000000,
          probability_ppm: 990401,
          route: [
            {
              short_channel_id_dir: '500084x1x0/0',
              id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              amount_msat: 2000000,
              delay: 18,
            },
          ],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'addwebhook',
    params: { url: 'https://hooks.example/payments' },
    result: {
      webhook_id: '39b3d32bdb5dc20dc42d0e5f4f3f3e71',
      url: 'https://hooks.example/payments',
      events: ['complete'],
      created_at: 1795493817,
      secret: 'whsec_AyRURkCnw/6ZLTphTrPM5mcF9tNkvuZxCLYlPwqyPao=',
    },
  },
  {
    command: 'listwebhooks',
    params: {},
    result: {
      webhooks: [
        {
          webhook_id: '39b3d32bdb5dc20dc42d0e5f4f3f3e71',
          url: 'https://hooks.example/payments',
          events: ['complete'],
          created_at: 1795493817,
          waiting: 0,
          delivered: 0,
          failures: 0,
          dropped: 0,
        },
      ],
    },
  },
  {
    command: 'delwebhook',
    params: { webhook_id: '39b3d32bdb5dc20dc42d0e5f4f3f3e71' },
    result: {
      webhook_id: '39b3d32bdb5dc20dc42d0e5f4f3f3e71',
      url: 'https://hooks.example/payments',
      events: ['complete'],
      created_at: 1795493817,
    },
  },
  {
    command: 'quote',
    params: {
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
      expires_in: 3600,
    },
    result: {
      quote_id: '454dadb0f23baa23462d87476b6aa797',
      command: 'xkeysend',
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      fee_msat: 0,
      maxfee_msat: 0,
      confidence_ppm: 990000,
      probability_ppm: 1000000,
      parts: 1,
      held_msat: 0,
      created_at: 1795493817,
      expires_at: 1795497417,
      routes: [
        {
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          probability_ppm: 990401,
          route: [
            {
              short_channel_id_dir: '500084x1x0/0',
              id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              amount_msat: 1000000,
              delay: 42,
            },
          ],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'listquotes',
    params: { quote_id: '454dadb0f23baa23462d87476b6aa797' },
    result: {
      quotes: [
        {
          quote_id: '454dadb0f23baa23462d87476b6aa797',
          command: 'xkeysend',
          invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          fee_msat: 0,
          maxfee_msat: 0,
          confidence_ppm: 990000,
          probability_ppm: 1000000,
          parts: 1,
          held_msat: 0,
          created_at: 1795493817,
          expires_at: 1795497417,
          status: 'open',
          simulated: true,
        },
      ],
      held_msat: 0,
      simulated: true,
    },
  },
  {
    command: 'delquote',
    params: { quote_id: '454dadb0f23baa23462d87476b6aa797' },
    result: {
      quote_id: '454dadb0f23baa23462d87476b6aa797',
      command: 'xkeysend',
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      fee_msat: 0,
      maxfee_msat: 0,
      confidence_ppm: 990000,
      probability_ppm: 1000000,
      parts: 1,
      held_msat: 0,
      created_at: 1795493817,
      expires_at: 1795497417,
      simulated: true,
    },
  },
  {
    command: 'xpay',
    params: {
      invstring:
        'lnbc20u1p4s2raesp5qqqqqqqqqq0gfqrtq5wujqqj8qcg79jwl9tc2wehu42a5nuttkqspp5d70fpvhmlh0wa6xys7myze3edn24aldtep6dk7azku6um30unuaqdq8vdskkegxqrrsscqpj9qyysgqyl5ynw278v3hz794z035zzashvh0deqkm453wjlva9g7sqwng8nn4ycd4ly3fmqfld6xmakwu2ryhgn5e0lp884auvlky8k8cgkltvsqpzemw4',
    },
    result: {
      payment_preimage: '63539451de0c5cb2b4fb8b4331c89ef6dc71fd516334b047f1f80223abceed4e',
      amount_msat: 2000000,
      amount_sent_msat: 2000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'createproof',
    params: {
      invstring:
        'lnbc20u1p4s2raesp5qqqqqqqqqq0gfqrtq5wujqqj8qcg79jwl9tc2wehu42a5nuttkqspp5d70fpvhmlh0wa6xys7myze3edn24aldtep6dk7azku6um30unuaqdq8vdskkegxqrrsscqpj9qyysgqyl5ynw278v3hz794z035zzashvh0deqkm453wjlva9g7sqwng8nn4ycd4ly3fmqfld6xmakwu2ryhgn5e0lp884auvlky8k8cgkltvsqpzemw4',
    },
    result: {
      proofs: [
        {
          bolt11:
            'lnbc20u1p4s2raesp5qqqqqqqqqq0gfqrtq5wujqqj8qcg79jwl9tc2wehu42a5nuttkqspp5d70fpvhmlh0wa6xys7myze3edn24aldtep6dk7azku6um30unuaqdq8vdskkegxqrrsscqpj9qyysgqyl5ynw278v3hz794z035zzashvh0deqkm453wjlva9g7sqwng8nn4ycd4ly3fmqfld6xmakwu2ryhgn5e0lp884auvlky8k8cgkltvsqpzemw4',
          payment_preimage: '63539451de0c5cb2b4fb8b4331c89ef6dc71fd516334b047f1f80223abceed4e',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'checkproof',
    params: {
      proof:
        'lnbc20u1p4s2raesp5qqqqqqqqqq0gfqrtq5wujqqj8qcg79jwl9tc2wehu42a5nuttkqspp5d70fpvhmlh0wa6xys7myze3edn24aldtep6dk7azku6um30unuaqdq8vdskkegxqrrsscqpj9qyysgqyl5ynw278v3hz794z035zzashvh0deqkm453wjlva9g7sqwng8nn4ycd4ly3fmqfld6xmakwu2ryhgn5e0lp884auvlky8k8cgkltvsqpzemw4',
      payment_preimage: '63539451de0c5cb2b4fb8b4331c89ef6dc71fd516334b047f1f80223abceed4e',
    },
    result: {
      valid: true,
      type: 'bolt11 invoice',
      payment_hash: '6f9e90b2fbfddeeee8c487b64166396cd55efdabc874db7ba2b735cdc5fc9f3a',
      payment_preimage: '63539451de0c5cb2b4fb8b4331c89ef6dc71fd516334b047f1f80223abceed4e',
      node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 2000000,
      description: 'cake',
      created_at: 1795493817,
    },
  },
  {
    command: 'simulatedinvoice',
    params: {
      id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '3000sat',
    },
    result: {
      bolt11:
        'lnbc30u1p4s2raesp5qqqqqqqqqqkudsrtq5wujqqj88rfpmeruyr2jk7lg7ynnt6wh4fqpp5cdhhwuv2zlhch4g6quzeqappnfzr3zep8d97stnlrp6gyj40dx5qdqqxqrrsscqpj9qyysgqhaqy863z2qu6wsk8kyzqy9k2lc8a0ry8uz40v8dt25rf9zdqy8ayfl6slps50qhc4ymz6uh9svzecw75522z5ned7nzx7fp5tpqrv7sqr83qpq',
      simulated: true,
    },
  },
  {
    command: 'pay',
    params: {
      bolt11:
        'lnbc30u1p4s2raesp5qqqqqqqqqqkudsrtq5wujqqj88rfpmeruyr2jk7lg7ynnt6wh4fqpp5cdhhwuv2zlhch4g6quzeqappnfzr3zep8d97stnlrp6gyj40dx5qdqqxqrrsscqpj9qyysgqhaqy863z2qu6wsk8kyzqy9k2lc8a0ry8uz40v8dt25rf9zdqy8ayfl6slps50qhc4ymz6uh9svzecw75522z5ned7nzx7fp5tpqrv7sqr83qpq',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: 'c36f77718a17ef8bd51a07059074219a44388b213b4be82e7f1874824aaf69a8',
      created_at: 1795493817.345,
      parts: 1,
      amount_msat: 3000000,
      amount_sent_msat: 3000000,
      payment_preimage: '5fe05e00fb797c83ae661331112e26e040669ca269386df6afa2a2792b403a10',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'listpays',
    params: { payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d' },
    result: {
      pays: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d',
          status: 'complete',
          created_at: 1795493816,
          completed_at: 1795493816,
          label: 'tea',
          preimage: 'd3552237a14a98ca762a8c777f340698efa1f41a372c894eff2460c4ba7c5996',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_index: 1,
          updated_index: 1,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'listsendpays',
    params: { payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d' },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795493816,
          completed_at: 1795493816,
          status: 'complete',
          payment_preimage: 'd3552237a14a98ca762a8c777f340698efa1f41a372c894eff2460c4ba7c5996',
          label: 'tea',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'listpayments',
    params: { start: 1, limit: 1 },
    result: {
      payments: [
        {
          id: '3eab14c4036312cdef599b74600d2cd2',
          created_index: 2,
          command: 'keysend',
          payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795493816.806,
          completed_at: 1795493816.983,
          attempts: 1,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'getpayment',
    params: { payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d' },
    result: {
      payments: [
        {
          id: '3eab14c4036312cdef599b74600d2cd2',
          created_index: 2,
          command: 'keysend',
          payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795493816.806,
          completed_at: 1795493816.983,
          maxfee_msat: 5000,
          maxdelay: 2016,
          retry_for: 60,
          layers: [],
          seed: 5790235440897159418n,
          attempts: [
            {
              id: 1,
              status: 'complete',
              partid: 0,
              amount_msat: 1000000,
              amount_sent_msat: 1000000,
              probability_ppm: 980000,
              created_at: 1795493816.812,
              completed_at: 1795493816.983,
              route: [
                {
                  short_channel_id_dir: '500084x1x0/0',
                  id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_msat: 1000000,
                  delay: 42,
                },
              ],
              expiry_height: 500127,
              learned: [],
            },
          ],
          simulated: true,
        },
      ],
      blockheight: 500084,
      simulated: true,
    },
  },
  {
    command: 'paystatus',
    params: {
      bolt11:
        'lnbc30u1p4s2raesp5qqqqqqqqqqkudsrtq5wujqqj88rfpmeruyr2jk7lg7ynnt6wh4fqpp5cdhhwuv2zlhch4g6quzeqappnfzr3zep8d97stnlrp6gyj40dx5qdqqxqrrsscqpj9qyysgqhaqy863z2qu6wsk8kyzqy9k2lc8a0ry8uz40v8dt25rf9zdqy8ayfl6slps50qhc4ymz6uh9svzecw75522z5ned7nzx7fp5tpqrv7sqr83qpq',
    },
    result: {
      pay: [
        {
          bolt11:
            'lnbc30u1p4s2raesp5qqqqqqqqqqkudsrtq5wujqqj88rfpmeruyr2jk7lg7ynnt6wh4fqpp5cdhhwuv2zlhch4g6quzeqappnfzr3zep8d97stnlrp6gyj40dx5qdqqxqrrsscqpj9qyysgqhaqy863z2qu6wsk8kyzqy9k2lc8a0ry8uz40v8dt25rf9zdqy8ayfl6slps50qhc4ymz6uh9svzecw75522z5ned7nzx7fp5tpqrv7sqr83qpq',
          description: '',
          amount_msat: 3000000,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: 'c36f77718a17ef8bd51a07059074219a44388b213b4be82e7f1874824aaf69a8',
          status: 'complete',
          seed: 14200334213595749n,
          attempts: [
            {
              strategy: 'Initial attempt',
              start_time: '2026-11-24T04:16:57.347Z',
              age_in_seconds: 0,
              end_time: '2026-11-24T04:16:57.512Z',
              state: 'completed',
              success: {
                id: 4,
                payment_preimage: '5fe05e00fb797c83ae661331112e26e040669ca269386df6afa2a2792b403a10',
              },
              partid: 1,
              amount_msat: 3000000,
              amount_sent_msat: 3000000,
              probability_ppm: 992384,
              route: [
                {
                  short_channel_id_dir: '500084x1x0/0',
                  id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
                  amount_msat: 3000000,
                  delay: 18,
                },
              ],
            },
          ],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'listlearned',
    params: {},
    result: {
      enabled: true,
      attempts: 4,
      away_ppm: 19608,
      correction: { slope: 1.0070331846548586, offset: 0.0016398247238738942 },
      priors: [{ prior: 'uniform', stale_ppm: 0, weight_ppm: 33333, simulated: true }],
      nodes: [
        {
          node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          away_ppm: 6536,
          seen_at: 1795493817,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'ledger',
    params: { limit: 1 },
    result: {
      movements: [
        {
          index: 1,
          time: 1795493816.983,
          kind: 'payment',
          payment_id: '3eab14c4036312cdef599b74600d2cd2',
          payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d',
          partid: 0,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          label: 'tea',
          amount_msat: 1000000,
          fee_msat: 0,
          entries: [{ account: 'channels', credit_msat: 1000000 }],
          simulated: true,
        },
      ],
      paid_msat: 1000000,
      fees_msat: 0,
      in_flight_msat: 0,
      balance_change_msat: -1000000,
      next_start: 2,
      simulated: true,
    },
  },
  {
    command: 'reconcile',
    params: { csv: 'key,amount_msat\nunknown,1000\n' },
    result: {
      complete: { count: 4, amount_msat: 7000000, amount_sent_msat: 7000000 },
      failed: { count: 0, amount_msat: 0, amount_sent_msat: 0 },
      pending: { count: 0, amount_msat: 0, amount_sent_msat: 0 },
      node_htlcs: 4,
      not_judged: 0,
      unexplained_msat: 0,
      list_unexplained_msat: 1000,
      difference_count: 1,
      differences: [{ kind: 'missing_payment', key: 'unknown', list_msat: 1000, simulated: true }],
      open: [],
      simulated: true,
    },
  },
  {
    command: 'listodds',
    params: {},
    result: {
      odds: [
        {
          id: 1,
          created_at: 1795493816.812,
          amount_msat: 1000000,
          probability_ppm: 980000,
          hops: 1,
          arrived: true,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'delpay',
    params: {
      payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d',
      status: 'complete',
    },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '662aac8fbe09369d9ae1723e9abc193f6c03baa68e134e36f528bda5ef0d2a4d',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795493816,
          completed_at: 1795493816,
          status: 'complete',
          payment_preimage: 'd3552237a14a98ca762a8c777f340698efa1f41a372c894eff2460c4ba7c5996',
          label: 'tea',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'offer',
    params: { amount: '10sat', description: 'coffee', label: 'morning' },
    result: {
      offer_id: '138d1d5d0a8ab81b8345710bc952673c677d9211f13004a90f8ff248792020d0',
      active: true,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq9z2yah3vdqwx7gvwtypnyewygjdzjjjccx0dpuvt2xngu39ckwntqgpnrhh2hp2j2zgxek6rkl0d9t7h8ae8nw9c2sx8zh96kjj8tqxx7jqqx0qj2kxcuvk3etm3rda7pswlacd58axfez7pyzg3aday40f6jrprfuh37l5sfhttcjj0gnlkfqda288fj3sq9f7jh9ylk4rehmlftl6ye73dx2ddccqfemy7f3r70v73gtelxkgeqqeqcjqws5kue2epr5a0nuczgav6w63hwtk4n2f667zzyw4ppdk35d2dru52y6mrsjfzrat90lex3f6c4jepvggzad265w0usn85x7fxuuqa4rmdwvad922sn225m3lmerjlul9ska5q',
      force_paths: false,
      used: false,
      label: 'morning',
      created: true,
      warning_no_payments:
        'This network cannot deliver payments to us: invoice requests for the offer are answered with this error.',
      simulated: true,
    },
  },
  {
    command: 'listoffers',
    params: {},
    result: {
      offers: [
        {
          offer_id: '138d1d5d0a8ab81b8345710bc952673c677d9211f13004a90f8ff248792020d0',
          active: true,
          single_use: false,
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq9z2yah3vdqwx7gvwtypnyewygjdzjjjccx0dpuvt2xngu39ckwntqgpnrhh2hp2j2zgxek6rkl0d9t7h8ae8nw9c2sx8zh96kjj8tqxx7jqqx0qj2kxcuvk3etm3rda7pswlacd58axfez7pyzg3aday40f6jrprfuh37l5sfhttcjj0gnlkfqda288fj3sq9f7jh9ylk4rehmlftl6ye73dx2ddccqfemy7f3r70v73gtelxkgeqqeqcjqws5kue2epr5a0nuczgav6w63hwtk4n2f667zzyw4ppdk35d2dru52y6mrsjfzrat90lex3f6c4jepvggzad265w0usn85x7fxuuqa4rmdwvad922sn225m3lmerjlul9ska5q',
          force_paths: false,
          used: false,
          label: 'morning',
          description: 'coffee',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'disableoffer',
    params: { offer_id: '138d1d5d0a8ab81b8345710bc952673c677d9211f13004a90f8ff248792020d0' },
    result: {
      offer_id: '138d1d5d0a8ab81b8345710bc952673c677d9211f13004a90f8ff248792020d0',
      active: false,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq9z2yah3vdqwx7gvwtypnyewygjdzjjjccx0dpuvt2xngu39ckwntqgpnrhh2hp2j2zgxek6rkl0d9t7h8ae8nw9c2sx8zh96kjj8tqxx7jqqx0qj2kxcuvk3etm3rda7pswlacd58axfez7pyzg3aday40f6jrprfuh37l5sfhttcjj0gnlkfqda288fj3sq9f7jh9ylk4rehmlftl6ye73dx2ddccqfemy7f3r70v73gtelxkgeqqeqcjqws5kue2epr5a0nuczgav6w63hwtk4n2f667zzyw4ppdk35d2dru52y6mrsjfzrat90lex3f6c4jepvggzad265w0usn85x7fxuuqa4rmdwvad922sn225m3lmerjlul9ska5q',
      force_paths: false,
      used: false,
      label: 'morning',
      description: 'coffee',
      simulated: true,
    },
  },
  {
    command: 'invoicerequest',
    params: { amount: '5sat', description: 'refund', label: 'back' },
    result: {
      invreq_id: '911cba93d1ad285e30e4bb72090aab144ce6c5d334bc7d4a93d9bb0c82e0c85f',
      active: true,
      single_use: true,
      bolt12:
        'lnr1qqgg9n380ejglsj2dlj0dlfwy4mf7zsxwfjkvatwv3fqyyugtqss96644gulepx0gdujdecpm28k6ue66254px54fhrlhj89le7tpdmgtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqfyg89cx0uxxm46vzx2au3p467nrvvuxqa69d406dxsdnk0uur877qsrc438l3xwk4ngkfnnekl0qynw53zefja5z9yv5l2gyx6n8yac6s7qqvu02ld05v586cjtm9dqvz5pxs4y2zkch58luhwn0x72kt8sa8dyp4yfmzahqnx3ugc3wkdsjh5uynpp35v2qtp5kcd0rv59dlxg554pl9hjv3h9ldf6c5a2c0t5gs2qgj7fw85gwqpj7k42pk4khgmqh5tq8e7hzg2z0vvhg38pytjyyu5w55c72p564rjwfx7dluq4yg8esu2030gqerjk85ra7pqxselg225g3pv9ygxeqm8n27c73r5fqaeegfxqka22930xy6v3zndfccw04hgpzwajc60n2u9d6ksaz3zvenkpddyk98hjp4zfwnrams',
      used: false,
      label: 'back',
      simulated: true,
    },
  },
  {
    command: 'listinvoicerequests',
    params: {},
    result: {
      invoicerequests: [
        {
          invreq_id: '911cba93d1ad285e30e4bb72090aab144ce6c5d334bc7d4a93d9bb0c82e0c85f',
          active: true,
          single_use: true,
          bolt12:
            'lnr1qqgg9n380ejglsj2dlj0dlfwy4mf7zsxwfjkvatwv3fqyyugtqss96644gulepx0gdujdecpm28k6ue66254px54fhrlhj89le7tpdmgtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqfyg89cx0uxxm46vzx2au3p467nrvvuxqa69d406dxsdnk0uur877qsrc438l3xwk4ngkfnnekl0qynw53zefja5z9yv5l2gyx6n8yac6s7qqvu02ld05v586cjtm9dqvz5pxs4y2zkch58luhwn0x72kt8sa8dyp4yfmzahqnx3ugc3wkdsjh5uynpp35v2qtp5kcd0rv59dlxg554pl9hjv3h9ldf6c5a2c0t5gs2qgj7fw85gwqpj7k42pk4khgmqh5tq8e7hzg2z0vvhg38pytjyyu5w55c72p564rjwfx7dluq4yg8esu2030gqerjk85ra7pqxselg225g3pv9ygxeqm8n27c73r5fqaeegfxqka22930xy6v3zndfccw04hgpzwajc60n2u9d6ksaz3zvenkpddyk98hjp4zfwnrams',
          used: false,
          label: 'back',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'disableinvoicerequest',
    params: { invreq_id: '911cba93d1ad285e30e4bb72090aab144ce6c5d334bc7d4a93d9bb0c82e0c85f' },
    result: {
      invreq_id: '911cba93d1ad285e30e4bb72090aab144ce6c5d334bc7d4a93d9bb0c82e0c85f',
      active: false,
      single_use: true,
      bolt12:
        'lnr1qqgg9n380ejglsj2dlj0dlfwy4mf7zsxwfjkvatwv3fqyyugtqss96644gulepx0gdujdecpm28k6ue66254px54fhrlhj89le7tpdmgtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqfyg89cx0uxxm46vzx2au3p467nrvvuxqa69d406dxsdnk0uur877qsrc438l3xwk4ngkfnnekl0qynw53zefja5z9yv5l2gyx6n8yac6s7qqvu02ld05v586cjtm9dqvz5pxs4y2zkch58luhwn0x72kt8sa8dyp4yfmzahqnx3ugc3wkdsjh5uynpp35v2qtp5kcd0rv59dlxg554pl9hjv3h9ldf6c5a2c0t5gs2qgj7fw85gwqpj7k42pk4khgmqh5tq8e7hzg2z0vvhg38pytjyyu5w55c72p564rjwfx7dluq4yg8esu2030gqerjk85ra7pqxselg225g3pv9ygxeqm8n27c73r5fqaeegfxqka22930xy6v3zndfccw04hgpzwajc60n2u9d6ksaz3zvenkpddyk98hjp4zfwnrams',
      used: false,
      label: 'back',
      simulated: true,
    },
  },
  { command: 'listinvoices', params: {}, result: { invoices: [], simulated: true } },
  {
    command: 'listsimulatedoffers',
    params: {},
    result: {
      offers: [
        {
          offer_id: 'dbea6518c893c73734419448490826f6003bf7fe75c2e5ba269db8373647cb92',
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
          description: 'coffee',
          node_id: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac',
          kind: 'fixed',
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'decode',
    params: {
      string:
        'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
    },
    result: {
      type: 'bolt12 offer',
      offer_id: 'dbea6518c893c73734419448490826f6003bf7fe75c2e5ba269db8373647cb92',
      offer_amount_msat: 10000,
      offer_description: 'coffee',
      offer_issuer: 'corner café',
      offer_issuer_id: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac',
      valid: true,
    },
  },
  {
    command: 'fetchinvoice',
    params: {
      offer:
        'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
    },
    result: {
      invoice:
        'lni1qqggsrtakkcvjpulcmq7ecvavwr4zzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypg3hxm65m3he9y8dtwp0w072jysnnswpypvtdpfghg999sx5s6l99ql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpm6nwwmhtc8e5hewq2hy86z0y3qacfhmz6fa5heh3dynwxqw5ya7sr…',
      changes: {},
      simulated: true,
    },
  },
  {
    command: 'fetchinvoice',
    params: {
      offer:
        'lno1pqpq86q2pdmk2ettd3ujqmn9wae3vggrpa68rr4et8ccxw2jwjk5xlzdg362jjlevdfmphlrkqcxd43z48nluwu6egvqyqg8',
      recurrence_counter: 0,
      recurrence_label: 'weekly',
    },
    result: {
      invoice:
        'lni1qqsg7neh6yw8vsmltndeuneyp3nqfxlxy7hgwzlx70sxse36yalkxxsgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzqk0jzyvn42s7vtcpcjpqegjed0slfms2mvwk0w24xhglt3u4gcm5ws06q7kqgexks3qk6nl8epd5kvmu5j6mw4v37pgsrxv9wfk5k5ae5fyt6x9zqnr9ae34rdjr22ng52cnx6hwuldnrpw53s42tjhnl2l…',
      changes: {
        next_period: {
          counter: 1,
          starttime: 1796098617,
          endtime: 1796703416,
          paywindow_start: 1795493817,
          paywindow_end: 1796703416,
        },
      },
      next_period: {
        counter: 1,
        starttime: 1796098617,
        endtime: 1796703416,
        paywindow_start: 1795493817,
        paywindow_end: 1796703416,
      },
      simulated: true,
    },
  },
  {
    command: 'cancelrecurringinvoice',
    params: {
      offer:
        'lno1pqpq86q2pdmk2ettd3ujqmn9wae3vggrpa68rr4et8ccxw2jwjk5xlzdg362jjlevdfmphlrkqcxd43z48nluwu6egvqyqg8',
      recurrence_counter: 1,
      recurrence_label: 'weekly',
    },
    result: {
      bolt12:
        'lnr1qqsg7neh6yw8vsmltndeuneyp3nqfxlxy7hgwzlx70sxse36yalkxxsgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzqk0jzyvn42s7vtcpcjpqegjed0slfms2mvwk0w24xhglt3u4gcm50cyp2ttu3eraygyj76szflz0vvcm47jl6vcwzj5qqptrnj2punwqlckmjt0n9h4rlkhh3kkfn4v8uas5r5nrke3zva0cuf9g3xalh5tyqj0uwu6egvqyqg8lemnt9zuqyqluae4j30qq',
      simulated: true,
    },
  },
  {
    command: 'listfetches',
    params: {},
    result: {
      fetches: [
        {
          number: 1,
          status: 'complete',
          created_at: 1795493817.558,
          took_ms: 141,
          timeout: 60,
          offer_id: 'dbea6518c893c73734419448490826f6003bf7fe75c2e5ba269db8373647cb92',
          offer:
            'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
          offered: { description: 'coffee', vendor: 'corner café', amount_msat: 10000 },
          steps: [
            {
              target: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac',
              outcome: 'answered',
              started_ms: 1,
              took_ms: 139,
              route: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
            },
          ],
          invoice:
            'lni1qqggsrtakkcvjpulcmq7ecvavwr4zzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypg3hxm65m3he9y8dtwp0w072jysnnswpypvtdpfghg999sx5s6l99ql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpm6nwwmhtc8e5hewq2hy86z0y3qacfhmz6fa5heh3dynwxqw5ya7sr…',
          invoiced: {
            description: 'coffee',
            vendor: 'corner café',
            amount_msat: 10000,
            created_at: 1795493817,
            expires_at: 1795501017,
          },
          changes: {},
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'check',
    params: {
      command_to_check: 'keysend',
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000,
    },
    result: { command_to_check: 'keysend' },
  },
  {
    command: 'createrune',
    params: { restrictions: [['method=keysend', 'method^list'], ['rate=60']] },
    result: {
      rune: 'Rd_kfB9KypM_f6r_lhUhcaYSpfYFCgyPARQK0fp9QkU9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      unique_id: '0',
    },
  },
  {
    command: 'checkrune',
    params: {
      rune: 'Rd_kfB9KypM_f6r_lhUhcaYSpfYFCgyPARQK0fp9QkU9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      method: 'listpays',
    },
    result: { valid: true },
  },
  {
    command: 'showrunes',
    params: {
      rune: 'Rd_kfB9KypM_f6r_lhUhcaYSpfYFCgyPARQK0fp9QkU9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
    },
    result: {
      runes: [
        {
          rune: 'Rd_kfB9KypM_f6r_lhUhcaYSpfYFCgyPARQK0fp9QkU9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
          last_used: 1795493818.107,
          unique_id: '0',
          restrictions: [
            {
              alternatives: [
                { fieldname: 'method', value: 'keysend', condition: '=', english: 'method equal to keysend' },
              ],
              english: 'method equal to keysend OR method starts with list',
            },
          ],
          restrictions_as_english: 'method equal to keysend OR method starts with list AND rate equal to 60',
        },
      ],
    },
  },
  {
    command: 'invokerune',
    params: { restrictions: 'readonly' },
    result: {
      rune: 'r53lUOg-j9kx9BS-7_buIRkxTvt46cdDzr_F4_NPoHM9MSZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1zdW1tYXJ5Jm1ldGhvZC9saXN0ZGF0YXN0b3Jl',
      unique_id: '1',
    },
  },
  { command: 'blacklistrune', params: { start: 0 }, result: { blacklist: [{ start: 0, end: 0 }] } },
  { command: 'destroyrune', params: { start: 1, end: 5 }, result: { blacklist: [{ start: 0, end: 5 }] } },
  {
    command: 'listconfigs',
    params: { config: 'askrene-timeout' },
    result: { configs: { 'askrene-timeout': { value_int: 10, source: 'default', dynamic: true } } },
  },
  {
    command: 'setconfig',
    params: { config: 'askrene-timeout', val: '15', transient: true },
    result: { config: { config: 'askrene-timeout', value_int: 15, source: 'setconfig', dynamic: true } },
  },
  {
    command: 'getlog',
    params: { level: 'info' },
    result: { created_at: '1795493816.171000000', bytes_used: 0, bytes_max: 1000000, log: [] },
  },
  {
    command: 'getmetrics',
    params: {},
    result: {
      content_type: 'text/plain; version=0.0.4; charset=utf-8',
      metrics:
        '# HELP fulgurite_rpc_requests_total Answered requests.\n# TYPE fulgurite_rpc_requests_total counter\nfulgurite_rpc_requests_total{method="addwebhook",transport="socket",outcome="ok"} 1\nfulgurite_rpc_requests_total{method="addwebhook",transport="socket",outcome="error"} 0\nfulgurite_rpc_requests_total{m…',
    },
  },
  {
    command: 'explorer',
    params: {},
    result: {
      url: 'http://127.0.0.1:33991/ui/#code=vsg-99-syS3htRPiDNJ67A',
      unique_id: '2',
      valid_until: 1798085818,
      link_valid_until: 1795493878,
    },
  },
  { command: 'notifications', params: { enable: true }, result: {} },
  { command: 'batching', params: { enable: false }, result: {} },
  { command: 'deprecations', params: { enable: true }, result: {} },
  {
    command: 'rpc.discover',
    params: {},
    result: {
      openrpc: '1.3.2',
      info: { title: 'Fulgurite', version: '0.2.0' },
      methods: [
        {
          name: 'addwebhook',
          summary: 'Post events of payments to a URL.',
          description:
            'Payments that begin from now on are reported by POST requests with a JSON body, as in the event stream. Each event is posted until the receiver answers with a status of 2xx, at least once, the events of one payment in order, with pauses of 1 second to a day after failures. Requests are signed as Standard Webhooks describes: header webhook-signature is `v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`. The host must be one of the option `webhook-host`.',
          tags: [{ name: 'utility' }],
          paramStructure: 'either',
          params: [
            {
              name: 'url',
              description: 'An https:// or http:// address.',
              required: true,
              schema: { title: 'string', type: 'string' },
            },
          ],
          result: {
            name: 'result',
            schema: {
              type: 'object',
              properties: {
                webhook_id: { title: 'string', type: 'string', description: 'Id of the webhook.' },
                url: { title: 'string', type: 'string', description: 'Where events are posted.' },
                events: {
                  type: 'array',
                  items: { title: 'string', type: 'string' },
                  description: 'Events that are posted.',
                },
                created_at: { title: 'u64', type: 'integer', minimum: 0, description: 'UNIX time.' },
                secret: {
                  title: 'secret',
                  type: 'string',
                  pattern: '^[0-9a-f]{64}$',
                  description: 'The secret for signatures. It is not shown again.',
                },
              },
              required: ['webhook_id'],
            },
          },
          errors: [
            {
              code: -32003,
              message: 'A change could not be written to disk.',
              data: {
                name: 'storeFailed',
                remedy:
                  'Free disk space or repair the disk; pending changes are written with the next change.',
                retryable: false,
                http_status: 500,
              },
            },
          ],
        },
      ],
    },
  },
  {
    command: 'backup',
    params: { destination: '/home/you/.fulgurite/backup' },
    result: { database: '/home/you/.fulgurite/backup/fulgurite.sqlite3', bytes: 212992 },
  },
  { command: 'stop', params: {}, result: 'Shutdown complete' },
  {
    command: 'listournodes',
    params: {},
    result: {
      nodes: [
        {
          name: 'a',
          id: '036ad76a7bb5cffe7f3d10258ad914a55aa83bca3e8ef19441e99085274d81d3d1',
          kind: 'simulated',
          state: 'on',
          height: 500084,
          channels: 8,
          spendable_msat: 118400000000,
          may_spend_msat: 118400000000,
          receivable_msat: 38400000000,
          htlcs: 0,
          in_flight_msat: 0,
          floor_msat: 0,
          price_ppm: 0,
          last_hour: { settled: 0, failed: 0, amount_msat: 0, fee_msat: 0 },
          last_day: { settled: 0, failed: 0, amount_msat: 0, fee_msat: 0 },
        },
      ],
    },
  },
  {
    command: 'setournode',
    params: { node: 'b', floor: '1000000sat', price: 100 },
    result: {
      node: {
        name: 'b',
        id: '02fb71517c3845dd429c71022dd390cd4ce65bccde523d4e445ae76826efce4b3d',
        kind: 'simulated',
        state: 'on',
        height: 500084,
        channels: 8,
        spendable_msat: 118400000000,
        may_spend_msat: 117400000000,
        receivable_msat: 38400000000,
        htlcs: 0,
        in_flight_msat: 0,
        floor_msat: 1000000000,
        price_ppm: 100,
        last_hour: { settled: 0, failed: 0, amount_msat: 0, fee_msat: 0 },
        last_day: { settled: 0, failed: 0, amount_msat: 0, fee_msat: 0 },
      },
    },
  },
  {
    command: 'plantransfer',
    params: { from: 'a', to: 'b', amount_msat: '20000sat' },
    result: {
      seed: 10746567760804460699n,
      amount_msat: 20000000,
      amount_sent_msat: 20003020,
      fee_msat: 3020,
      shadow_msat: 0,
      shadow_delay: 0,
      delay: 158,
      probability_ppm: 738300,
      parts: [
        {
          node: 'a',
          amount_msat: 20000000,
          amount_sent_msat: 20003020,
          probability_ppm: 738300,
          route: [
            {
              short_channel_id_dir: '500084x3x0/1',
              id: '03091f559e2704cd80e41cd103ca4a60fd91010927674016b09f40c1d450368cf4',
              amount_msat: 20003020,
              delay: 158,
            },
          ],
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'transfer',
    params: { from: 'a', to: 'b', amount_msat: '20000sat' },
    result: {
      payment_preimage: 'ec52f892d9979a2d64f718fd85e7b958134b950ef1589115f46874240a3f59df',
      amount_msat: 20000000,
      amount_sent_msat: 20003020,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
];
