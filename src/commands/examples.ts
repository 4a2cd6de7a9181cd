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
      id: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
      alias: 'fulgurite-a244ad2a',
      color: '02a244',
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
            'keysend (DEPRECATED!) destination amount_msat [label] [maxfeepercent] [retry_for] [maxdelay] [exemptfee] [routehints] [extratlvs] [maxfee] [idempotency_key] [seed]',
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
              timestamp: '2026-11-23T21:59:09.531Z',
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
      source: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
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
              node_id_in: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
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
                  node_id_in: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
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
      source: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
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
                  node_id_in: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
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
      source: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
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
          timestamp: 1795471149,
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
      biases: [{ layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795471149 }],
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
          timestamp: 1795471149,
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
              source: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
              destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              short_channel_id: '1x2x3',
              capacity_msat: 100000000,
            },
          ],
          channel_updates: [
            { short_channel_id_dir: '500000x277x0/0', enabled: true, htlc_maximum_msat: 50000000 },
          ],
          constraints: [
            { short_channel_id_dir: '500000x277x0/0', timestamp: 1795471149, maximum_msat: 19999999 },
          ],
          impressions: [],
          biases: [{ short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795471149 }],
          node_biases: [
            {
              node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              in_bias: 0,
              out_bias: 10,
              timestamp: 1795471149,
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
          timestamp: 1795471149,
        },
      ],
      num_beliefs: 1,
    },
  },
  {
    command: 'askrene-difflayers',
    params: {
      source: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
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
                node_id_in: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
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
                node_id_in: '02a244ad2ae0941c468649f3bc2e4979bb6791862875d60da2193d2cd5670700e3',
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
          timestamp: 1795471149,
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
          command_id: 'cli:askrene-reserve#21569',
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
      seed: 8069440611079628292n,
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
      payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d',
      created_at: 1795471149.766,
      parts: 1,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      payment_preimage: '89c45b2b76280a759f314ebea666ea4e7c74e886c025d5b113065d3c67801156',
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
      payment_preimage: '5be51eed5e4202d5596a04299ace198659e5d5943e8264e7dd1b79a0dbbae26b',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'waitsendpay',
    params: { payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d' },
    result: {
      created_index: 1,
      id: 1,
      payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d',
      groupid: 0,
      updated_index: 1,
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      created_at: 1795471149,
      completed_at: 1795471149,
      status: 'complete',
      payment_preimage: '89c45b2b76280a759f314ebea666ea4e7c74e886c025d5b113065d3c67801156',
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
        'lnbc20u1p4sfdewsp5qqqqqqqqqq0gfqrtqnznuqqj509xnycyz5qssmwsrwg0xa3xmvgqpp58hl6l9eq9mkja407wzrvymswclh48k8qhry62wce6a0deum0c7lqdq8vdskkegxqrrsscqpj9qyysgqnnr2vyuqce4kenxhvwq0ul080deww6kvvrkux6sy0tla8kjzm874jfsy7gxr5cy7gdzvgvk77jj34j98zkchl3z85j6zjt0aln9dutcq2x6jc8',
      simulated: true,
    },
  },
  {
    command: 'planxpay',
    params: {
      invstring:
        'lnbc20u1p4sfdewsp5qqqqqqqqqq0gfqrtqnznuqqj509xnycyz5qssmwsrwg0xa3xmvgqpp58hl6l9eq9mkja407wzrvymswclh48k8qhry62wce6a0deum0c7lqdq8vdskkegxqrrsscqpj9qyysgqnnr2vyuqce4kenxhvwq0ul080deww6kvvrkux6sy0tla8kjzm874jfsy7gxr5cy7gdzvgvk77jj34j98zkchl3z85j6zjt0aln9dutcq2x6jc8',
    },
    result: {
      seed: 12816509513441480058n,
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
    command: 'xpay',
    params: {
      invstring:
        'lnbc20u1p4sfdewsp5qqqqqqqqqq0gfqrtqnznuqqj509xnycyz5qssmwsrwg0xa3xmvgqpp58hl6l9eq9mkja407wzrvymswclh48k8qhry62wce6a0deum0c7lqdq8vdskkegxqrrsscqpj9qyysgqnnr2vyuqce4kenxhvwq0ul080deww6kvvrkux6sy0tla8kjzm874jfsy7gxr5cy7gdzvgvk77jj34j98zkchl3z85j6zjt0aln9dutcq2x6jc8',
    },
    result: {
      payment_preimage: 'ebf730261602a07a7f8734b3d27f63daaee19da7ce2a580ac0d18c7921e9cef4',
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
        'lnbc20u1p4sfdewsp5qqqqqqqqqq0gfqrtqnznuqqj509xnycyz5qssmwsrwg0xa3xmvgqpp58hl6l9eq9mkja407wzrvymswclh48k8qhry62wce6a0deum0c7lqdq8vdskkegxqrrsscqpj9qyysgqnnr2vyuqce4kenxhvwq0ul080deww6kvvrkux6sy0tla8kjzm874jfsy7gxr5cy7gdzvgvk77jj34j98zkchl3z85j6zjt0aln9dutcq2x6jc8',
    },
    result: {
      proofs: [
        {
          bolt11:
            'lnbc20u1p4sfdewsp5qqqqqqqqqq0gfqrtqnznuqqj509xnycyz5qssmwsrwg0xa3xmvgqpp58hl6l9eq9mkja407wzrvymswclh48k8qhry62wce6a0deum0c7lqdq8vdskkegxqrrsscqpj9qyysgqnnr2vyuqce4kenxhvwq0ul080deww6kvvrkux6sy0tla8kjzm874jfsy7gxr5cy7gdzvgvk77jj34j98zkchl3z85j6zjt0aln9dutcq2x6jc8',
          payment_preimage: 'ebf730261602a07a7f8734b3d27f63daaee19da7ce2a580ac0d18c7921e9cef4',
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
        'lnbc20u1p4sfdewsp5qqqqqqqqqq0gfqrtqnznuqqj509xnycyz5qssmwsrwg0xa3xmvgqpp58hl6l9eq9mkja407wzrvymswclh48k8qhry62wce6a0deum0c7lqdq8vdskkegxqrrsscqpj9qyysgqnnr2vyuqce4kenxhvwq0ul080deww6kvvrkux6sy0tla8kjzm874jfsy7gxr5cy7gdzvgvk77jj34j98zkchl3z85j6zjt0aln9dutcq2x6jc8',
      payment_preimage: 'ebf730261602a07a7f8734b3d27f63daaee19da7ce2a580ac0d18c7921e9cef4',
    },
    result: {
      valid: true,
      type: 'bolt11 invoice',
      payment_hash: '3dffaf97202eed2ed5fe7086c26e0ec7ef53d8e0b8c9a53b19d75edcf36fc7be',
      payment_preimage: 'ebf730261602a07a7f8734b3d27f63daaee19da7ce2a580ac0d18c7921e9cef4',
      node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 2000000,
      description: 'cake',
      created_at: 1795471150,
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
        'lnbc30u1p4sfdewsp5qqqqqqqqqqkudsrtqnznuqqj632pxq38fvc9ugavy66q02uhheyspp5n6nwcrlv7pvfzdpn0t0ajpqw9q6c7qgp0snfwvxemqvc5m9pr8aqdqqxqrrsscqpj9qyysgqkflfnvhtqg3zmrf30zscr3c3n7du83g78wvl788muy9x096p7qryv46z2lplks703en2d5jv38ka5unxt2xeykra7ref9zzgfgmv7eqqf2rjtd',
      simulated: true,
    },
  },
  {
    command: 'pay',
    params: {
      bolt11:
        'lnbc30u1p4sfdewsp5qqqqqqqqqqkudsrtqnznuqqj632pxq38fvc9ugavy66q02uhheyspp5n6nwcrlv7pvfzdpn0t0ajpqw9q6c7qgp0snfwvxemqvc5m9pr8aqdqqxqrrsscqpj9qyysgqkflfnvhtqg3zmrf30zscr3c3n7du83g78wvl788muy9x096p7qryv46z2lplks703en2d5jv38ka5unxt2xeykra7ref9zzgfgmv7eqqf2rjtd',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: '9ea6ec0fecf0589134337adfd9040e28358f01017c269730d9d8198a6ca119fa',
      created_at: 1795471150.286,
      parts: 1,
      amount_msat: 3000000,
      amount_sent_msat: 3000000,
      payment_preimage: '23274e47eafc7138bc35ab2dced1dd53d2864a1e6b3efb80aac3259c385b9798',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'listpays',
    params: { payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d' },
    result: {
      pays: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d',
          status: 'complete',
          created_at: 1795471149,
          completed_at: 1795471149,
          label: 'tea',
          preimage: '89c45b2b76280a759f314ebea666ea4e7c74e886c025d5b113065d3c67801156',
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
    params: { payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d' },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795471149,
          completed_at: 1795471149,
          status: 'complete',
          payment_preimage: '89c45b2b76280a759f314ebea666ea4e7c74e886c025d5b113065d3c67801156',
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
          id: 'fb53cb37a2532af9aa3eb4ecef118ee7',
          created_index: 2,
          command: 'keysend',
          payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795471149.766,
          completed_at: 1795471149.941,
          attempts: 1,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'getpayment',
    params: { payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d' },
    result: {
      payments: [
        {
          id: 'fb53cb37a2532af9aa3eb4ecef118ee7',
          created_index: 2,
          command: 'keysend',
          payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795471149.766,
          completed_at: 1795471149.941,
          maxfee_msat: 5000,
          maxdelay: 2016,
          retry_for: 60,
          layers: [],
          seed: 11600636844280234049n,
          attempts: [
            {
              id: 1,
              status: 'complete',
              partid: 0,
              amount_msat: 1000000,
              amount_sent_msat: 1000000,
              probability_ppm: 980000,
              created_at: 1795471149.769,
              completed_at: 1795471149.94,
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
        'lnbc30u1p4sfdewsp5qqqqqqqqqqkudsrtqnznuqqj632pxq38fvc9ugavy66q02uhheyspp5n6nwcrlv7pvfzdpn0t0ajpqw9q6c7qgp0snfwvxemqvc5m9pr8aqdqqxqrrsscqpj9qyysgqkflfnvhtqg3zmrf30zscr3c3n7du83g78wvl788muy9x096p7qryv46z2lplks703en2d5jv38ka5unxt2xeykra7ref9zzgfgmv7eqqf2rjtd',
    },
    result: {
      pay: [
        {
          bolt11:
            'lnbc30u1p4sfdewsp5qqqqqqqqqqkudsrtqnznuqqj632pxq38fvc9ugavy66q02uhheyspp5n6nwcrlv7pvfzdpn0t0ajpqw9q6c7qgp0snfwvxemqvc5m9pr8aqdqqxqrrsscqpj9qyysgqkflfnvhtqg3zmrf30zscr3c3n7du83g78wvl788muy9x096p7qryv46z2lplks703en2d5jv38ka5unxt2xeykra7ref9zzgfgmv7eqqf2rjtd',
          description: '',
          amount_msat: 3000000,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '9ea6ec0fecf0589134337adfd9040e28358f01017c269730d9d8198a6ca119fa',
          status: 'complete',
          seed: 3015226476269095649n,
          attempts: [
            {
              strategy: 'Initial attempt',
              start_time: '2026-11-23T21:59:10.288Z',
              age_in_seconds: 0,
              end_time: '2026-11-23T21:59:10.443Z',
              state: 'completed',
              success: {
                id: 4,
                payment_preimage: '23274e47eafc7138bc35ab2dced1dd53d2864a1e6b3efb80aac3259c385b9798',
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
          seen_at: 1795471150,
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
          time: 1795471149.94,
          kind: 'payment',
          payment_id: 'fb53cb37a2532af9aa3eb4ecef118ee7',
          payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d',
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
          created_at: 1795471149.769,
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
      payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d',
      status: 'complete',
    },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: 'bb8e10431b93b7d2a552b187d71130359e026abad4c048841c3811dc96e3466d',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795471149,
          completed_at: 1795471149,
          status: 'complete',
          payment_preimage: '89c45b2b76280a759f314ebea666ea4e7c74e886c025d5b113065d3c67801156',
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
      offer_id: '4242980555fc59bc6108b07eb6d2b8bfd264c68167c7d385bbae0910544e9539',
      active: true,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwqyfk94ayys7gz0cul6zv8n62khyuzsah3xv87upkg4jg2xhu6nk38qgpzmet5592aah0mkxsu8clma39nn2hy5gvv3gsnq4vrr89lxnqgh2sqxd362hv7r0h9jljgjgwd5k0vsvl4345e44nqdrc4zl6mdur90ens28j9vltxl7qpawe54weefg3fppupnrcs80nahfhxuj5jr69nfjm40sehs6efdhv4xxzqarszktl6zqs47w0aqqefpepa860lv0l0srkvmgkrwvjc78n80084dph6r8g972r2wuealuxfj4z44mq89g2rkm4pcprhvc7v5d5pvggz5fz262hqjswydpjf7w7zujtehdnerp3gwhtqmgse85kd2ec8qr3s',
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
          offer_id: '4242980555fc59bc6108b07eb6d2b8bfd264c68167c7d385bbae0910544e9539',
          active: true,
          single_use: false,
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwqyfk94ayys7gz0cul6zv8n62khyuzsah3xv87upkg4jg2xhu6nk38qgpzmet5592aah0mkxsu8clma39nn2hy5gvv3gsnq4vrr89lxnqgh2sqxd362hv7r0h9jljgjgwd5k0vsvl4345e44nqdrc4zl6mdur90ens28j9vltxl7qpawe54weefg3fppupnrcs80nahfhxuj5jr69nfjm40sehs6efdhv4xxzqarszktl6zqs47w0aqqefpepa860lv0l0srkvmgkrwvjc78n80084dph6r8g972r2wuealuxfj4z44mq89g2rkm4pcprhvc7v5d5pvggz5fz262hqjswydpjf7w7zujtehdnerp3gwhtqmgse85kd2ec8qr3s',
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
    params: { offer_id: '4242980555fc59bc6108b07eb6d2b8bfd264c68167c7d385bbae0910544e9539' },
    result: {
      offer_id: '4242980555fc59bc6108b07eb6d2b8bfd264c68167c7d385bbae0910544e9539',
      active: false,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwqyfk94ayys7gz0cul6zv8n62khyuzsah3xv87upkg4jg2xhu6nk38qgpzmet5592aah0mkxsu8clma39nn2hy5gvv3gsnq4vrr89lxnqgh2sqxd362hv7r0h9jljgjgwd5k0vsvl4345e44nqdrc4zl6mdur90ens28j9vltxl7qpawe54weefg3fppupnrcs80nahfhxuj5jr69nfjm40sehs6efdhv4xxzqarszktl6zqs47w0aqqefpepa860lv0l0srkvmgkrwvjc78n80084dph6r8g972r2wuealuxfj4z44mq89g2rkm4pcprhvc7v5d5pvggz5fz262hqjswydpjf7w7zujtehdnerp3gwhtqmgse85kd2ec8qr3s',
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
      invreq_id: '141e18119ab35259852f1ff4d122a9efed6789cbbac56a4f4652063d0c7b4e49',
      active: true,
      single_use: true,
      bolt12:
        'lnr1qqgr3xr4zxwcxurcqqz2wx630k4uczsxwfjkvatwv3fqyyugtqss9gjy454wp9qug6rynuau9eyhnwm8jxrzsawkpk3pj0fv64nswq8rtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqdwga4e3vchwy7rt4dxvckn9pzphm6clcth5dcpeaum5v6dltycmgqszzfmq9xz2yyq5pw0ngt7xvgzweqc95y043ythcn655uy2xnkhxchqqvltv8rvn3f6tvm8v43pvumwdz9cdhhsgp53mry7txeupqhgf52y7jy07crq0dm7rxfxas8d8chufhtese2eqdsk5jrhsgkcyn2j9gqzf0kar8fz07sq297u3dgmlprq3e4phet75qpjw9pw0lq7hsnzekwygt8uuneu9p7q5g6rkcsltk733p4l7zmwprh72z4f3lm99ahrzznxl6dun7v49dyn7pqvmlrrcuc2dphklggh38epyrynsv3fmqy2r8v5s9jhe9vg39jzej8gca30plgrq3sx9ht09ex65mv8rt6fgtsarswgsdw50yaslu4ccc',
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
          invreq_id: '141e18119ab35259852f1ff4d122a9efed6789cbbac56a4f4652063d0c7b4e49',
          active: true,
          single_use: true,
          bolt12:
            'lnr1qqgr3xr4zxwcxurcqqz2wx630k4uczsxwfjkvatwv3fqyyugtqss9gjy454wp9qug6rynuau9eyhnwm8jxrzsawkpk3pj0fv64nswq8rtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqdwga4e3vchwy7rt4dxvckn9pzphm6clcth5dcpeaum5v6dltycmgqszzfmq9xz2yyq5pw0ngt7xvgzweqc95y043ythcn655uy2xnkhxchqqvltv8rvn3f6tvm8v43pvumwdz9cdhhsgp53mry7txeupqhgf52y7jy07crq0dm7rxfxas8d8chufhtese2eqdsk5jrhsgkcyn2j9gqzf0kar8fz07sq297u3dgmlprq3e4phet75qpjw9pw0lq7hsnzekwygt8uuneu9p7q5g6rkcsltk733p4l7zmwprh72z4f3lm99ahrzznxl6dun7v49dyn7pqvmlrrcuc2dphklggh38epyrynsv3fmqy2r8v5s9jhe9vg39jzej8gca30plgrq3sx9ht09ex65mv8rt6fgtsarswgsdw50yaslu4ccc',
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
    params: { invreq_id: '141e18119ab35259852f1ff4d122a9efed6789cbbac56a4f4652063d0c7b4e49' },
    result: {
      invreq_id: '141e18119ab35259852f1ff4d122a9efed6789cbbac56a4f4652063d0c7b4e49',
      active: false,
      single_use: true,
      bolt12:
        'lnr1qqgr3xr4zxwcxurcqqz2wx630k4uczsxwfjkvatwv3fqyyugtqss9gjy454wp9qug6rynuau9eyhnwm8jxrzsawkpk3pj0fv64nswq8rtthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqdwga4e3vchwy7rt4dxvckn9pzphm6clcth5dcpeaum5v6dltycmgqszzfmq9xz2yyq5pw0ngt7xvgzweqc95y043ythcn655uy2xnkhxchqqvltv8rvn3f6tvm8v43pvumwdz9cdhhsgp53mry7txeupqhgf52y7jy07crq0dm7rxfxas8d8chufhtese2eqdsk5jrhsgkcyn2j9gqzf0kar8fz07sq297u3dgmlprq3e4phet75qpjw9pw0lq7hsnzekwygt8uuneu9p7q5g6rkcsltk733p4l7zmwprh72z4f3lm99ahrzznxl6dun7v49dyn7pqvmlrrcuc2dphklggh38epyrynsv3fmqy2r8v5s9jhe9vg39jzej8gca30plgrq3sx9ht09ex65mv8rt6fgtsarswgsdw50yaslu4ccc',
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
        'lni1qqgy8m8pyer6m2enc7k8pnyd9ndzyzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypjkaghvc8gdpnt93q8r39qejredfa5jdf3m4swjkvu8mrrfw79uxaql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qp5prawdzsdycrrcjanp46eflw60zv4u42ndsmf4mcnd5xzdyef5eqr…',
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
        'lni1qqszs0n8pv88llmy0phvufcrn5y53lpl5tt82dkry9edw64m39ngmcggqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzq5u7as47ce7xp703ku0pl0plm2krn7hft3xr8gnzrc0hey9l0npu6s06q7kqgexks3qk6nl8epd5kvmu5j6mw4v37pgsrxv9wfk5k5ae5fyt6x9zqj3m8ak659zwr9702067nrywnfqdjhtatchf6sdnrmn…',
      changes: {
        next_period: {
          counter: 1,
          starttime: 1796075950,
          endtime: 1796680749,
          paywindow_start: 1795471150,
          paywindow_end: 1796680749,
        },
      },
      next_period: {
        counter: 1,
        starttime: 1796075950,
        endtime: 1796680749,
        paywindow_start: 1795471150,
        paywindow_end: 1796680749,
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
        'lnr1qqszs0n8pv88llmy0phvufcrn5y53lpl5tt82dkry9edw64m39ngmcggqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzq5u7as47ce7xp703ku0pl0plm2krn7hft3xr8gnzrc0hey9l0npumcypgy5j435md98nfwf5e07ezw6ck9pq8pfflx4wtm62wg59v2c7xvgz7myjdrt0023l8jmshnkqm5g46p6td3zm4aag79cje0j3vvq3mp0uwu6egvqyqg8lemnt9zuqyqluae4j30qq',
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
          created_at: 1795471150.484,
          took_ms: 130,
          timeout: 60,
          offer_id: 'dbea6518c893c73734419448490826f6003bf7fe75c2e5ba269db8373647cb92',
          offer:
            'lno1pqpzwyq2qe3k7enxv4j3yrrrdaexuetjyp3kzekr4ytzzqj45rsjsmyry2rwmgfhh0h7zlep4un95z9mafyp5m4fdw05khuy4s',
          offered: { description: 'coffee', vendor: 'corner café', amount_msat: 10000 },
          steps: [
            {
              target: '0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac',
              outcome: 'answered',
              started_ms: 0,
              took_ms: 128,
              route: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
            },
          ],
          invoice:
            'lni1qqgy8m8pyer6m2enc7k8pnyd9ndzyzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypjkaghvc8gdpnt93q8r39qejredfa5jdf3m4swjkvu8mrrfw79uxaql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qp5prawdzsdycrrcjanp46eflw60zv4u42ndsmf4mcnd5xzdyef5eqr…',
          invoiced: {
            description: 'coffee',
            vendor: 'corner café',
            amount_msat: 10000,
            created_at: 1795471150,
            expires_at: 1795478350,
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
      rune: 'EwGcdRmRukcuHocDfhACovChYhi5ZRp9AqAYdNEtBnw9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      unique_id: '0',
    },
  },
  {
    command: 'checkrune',
    params: {
      rune: 'EwGcdRmRukcuHocDfhACovChYhi5ZRp9AqAYdNEtBnw9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      method: 'listpays',
    },
    result: { valid: true },
  },
  {
    command: 'showrunes',
    params: {
      rune: 'EwGcdRmRukcuHocDfhACovChYhi5ZRp9AqAYdNEtBnw9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
    },
    result: {
      runes: [
        {
          rune: 'EwGcdRmRukcuHocDfhACovChYhi5ZRp9AqAYdNEtBnw9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
          last_used: 1795471151.017,
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
      rune: 'PLifPwqwV-LlDwiggT9_v-Vrx35um05CQsuimgTjacU9MSZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1zdW1tYXJ5Jm1ldGhvZC9saXN0ZGF0YXN0b3Jl',
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
    result: { created_at: '1795471149.272000000', bytes_used: 0, bytes_max: 1000000, log: [] },
  },
  {
    command: 'getmetrics',
    params: {},
    result: {
      content_type: 'text/plain; version=0.0.4; charset=utf-8',
      metrics:
        '# HELP fulgurite_rpc_requests_total Answered requests.\n# TYPE fulgurite_rpc_requests_total counter\nfulgurite_rpc_requests_total{method="askrene-age",transport="socket",outcome="ok"} 1\nfulgurite_rpc_requests_total{method="askrene-age",transport="socket",outcome="error"} 0\nfulgurite_rpc_requests_total…',
    },
  },
  {
    command: 'explorer',
    params: {},
    result: {
      url: 'http://127.0.0.1:33899/ui/#code=pXrs_uvHZ_PqVPaHYOhJBg',
      unique_id: '2',
      valid_until: 1798063151,
      link_valid_until: 1795471211,
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
          name: 'askrene-age',
          summary: 'Remove old constraints, impressions and biases from a layer.',
          description:
            'Removes entries made before the cutoff. Created channels, updates and disabled nodes have no age and are kept. The age of a node bias is that of its most recently changed direction.',
          tags: [{ name: 'routes' }],
          paramStructure: 'either',
          params: [
            {
              name: 'layer',
              description: 'Name of the layer.',
              required: true,
              schema: { title: 'layer', type: 'string' },
            },
          ],
          result: {
            name: 'result',
            schema: {
              type: 'object',
              properties: {
                layer: { title: 'string', type: 'string', description: 'Name of the layer.' },
                num_removed: {
                  title: 'u64',
                  type: 'integer',
                  minimum: 0,
                  description: 'Number of entries removed.',
                },
              },
              required: ['layer'],
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
          examples: [
            {
              name: 'askrene-age',
              params: [{ name: 'layer', value: 'mine' }],
              result: { name: 'result', value: { layer: 'mine', num_removed: 0 } },
            },
          ],
        },
      ],
    },
  },
  {
    command: 'backup',
    params: { destination: '/home/you/.fulgurite/backup' },
    result: { database: '/home/you/.fulgurite/backup/fulgurite.sqlite3', bytes: 208896 },
  },
  { command: 'stop', params: {}, result: 'Shutdown complete' },
];
