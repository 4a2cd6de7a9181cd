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
      id: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
      alias: 'fulgurite-6611209a',
      color: '036611',
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
              timestamp: '2026-11-24T03:58:59.974Z',
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
      source: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
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
              node_id_in: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
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
                  node_id_in: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
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
      source: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
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
                  node_id_in: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
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
      source: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
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
          timestamp: 1795492740,
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
      biases: [{ layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795492740 }],
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
          timestamp: 1795492740,
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
              source: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
              destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              short_channel_id: '1x2x3',
              capacity_msat: 100000000,
            },
          ],
          channel_updates: [
            { short_channel_id_dir: '500000x277x0/0', enabled: true, htlc_maximum_msat: 50000000 },
          ],
          constraints: [
            { short_channel_id_dir: '500000x277x0/0', timestamp: 1795492740, maximum_msat: 19999999 },
          ],
          impressions: [],
          biases: [{ short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795492740 }],
          node_biases: [
            {
              node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              in_bias: 0,
              out_bias: 10,
              timestamp: 1795492740,
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
          timestamp: 1795492740,
        },
      ],
      num_beliefs: 1,
    },
  },
  {
    command: 'askrene-difflayers',
    params: {
      source: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
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
                node_id_in: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
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
                node_id_in: '036611209a159a53662a1fcdf6914cf2c74b47b9d10e4390b2f28a99f1a0b432d5',
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
          timestamp: 1795492740,
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
          command_id: 'cli:askrene-reserve#16944',
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
      seed: 15900368401461102481n,
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
      payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926',
      created_at: 1795492740.279,
      parts: 1,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      payment_preimage: '865ae9b71140804ddb40b5ac304c85776bac9694a53832da8f26befe8711cd29',
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
      payment_preimage: 'e4e41ac0b085f78febb899b81b3915be933697201d64ee5d9b9198373edce7c7',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'waitsendpay',
    params: { payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926' },
    result: {
      created_index: 1,
      id: 1,
      payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926',
      groupid: 0,
      updated_index: 1,
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      created_at: 1795492740,
      completed_at: 1795492740,
      status: 'complete',
      payment_preimage: '865ae9b71140804ddb40b5ac304c85776bac9694a53832da8f26befe8711cd29',
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
        'lnbc20u1p4s2zuysp5qqqqqqqqqq0gfqrtq5vegqqjeq6nr02tr3j6wnnayxr09pn5jpkqpp50l7097cd59eexmejk30j60ey2dd0qelv2undwzckwusa48dur5lqdq8vdskkegxqrrsscqpj9qyysgqt8x8cxtk48dvtz6jzl59hasrfrxvtwy0rvhdyemvcxptqlhj2gyp094mdqm59mzvktrk486l0c76nf2u326ysgptg95e8tkjjsflr8sq03h2vx',
      simulated: true,
    },
  },
  {
    command: 'planxpay',
    params: {
      invstring:
        'lnbc20u1p4s2zuysp5qqqqqqqqqq0gfqrtq5vegqqjeq6nr02tr3j6wnnayxr09pn5jpkqpp50l7097cd59eexmejk30j60ey2dd0qelv2undwzckwusa48dur5lqdq8vdskkegxqrrsscqpj9qyysgqt8x8cxtk48dvtz6jzl59hasrfrxvtwy0rvhdyemvcxptqlhj2gyp094mdqm59mzvktrk486l0c76nf2u326ysgptg95e8tkjjsflr8sq03h2vx',
    },
    result: {
      seed: 7270406983394813424n,
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
    command: 'quote',
    params: {
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: '1000sat',
      expires_in: 3600,
    },
    result: {
      quote_id: '4f3f69a803dab958d25943a0da8a736e',
      command: 'xkeysend',
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      fee_msat: 0,
      maxfee_msat: 0,
      confidence_ppm: 990000,
      probability_ppm: 1000000,
      parts: 1,
      held_msat: 0,
      created_at: 1795492740,
      expires_at: 1795496340,
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
    params: { quote_id: '4f3f69a803dab958d25943a0da8a736e' },
    result: {
      quotes: [
        {
          quote_id: '4f3f69a803dab958d25943a0da8a736e',
          command: 'xkeysend',
          invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          fee_msat: 0,
          maxfee_msat: 0,
          confidence_ppm: 990000,
          probability_ppm: 1000000,
          parts: 1,
          held_msat: 0,
          created_at: 1795492740,
          expires_at: 1795496340,
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
    params: { quote_id: '4f3f69a803dab958d25943a0da8a736e' },
    result: {
      quote_id: '4f3f69a803dab958d25943a0da8a736e',
      command: 'xkeysend',
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      fee_msat: 0,
      maxfee_msat: 0,
      confidence_ppm: 990000,
      probability_ppm: 1000000,
      parts: 1,
      held_msat: 0,
      created_at: 1795492740,
      expires_at: 1795496340,
      simulated: true,
    },
  },
  {
    command: 'xpay',
    params: {
      invstring:
        'lnbc20u1p4s2zuysp5qqqqqqqqqq0gfqrtq5vegqqjeq6nr02tr3j6wnnayxr09pn5jpkqpp50l7097cd59eexmejk30j60ey2dd0qelv2undwzckwusa48dur5lqdq8vdskkegxqrrsscqpj9qyysgqt8x8cxtk48dvtz6jzl59hasrfrxvtwy0rvhdyemvcxptqlhj2gyp094mdqm59mzvktrk486l0c76nf2u326ysgptg95e8tkjjsflr8sq03h2vx',
    },
    result: {
      payment_preimage: '8f6f5b9530cc0daf78f214ac7e066487052da262694e1b8b0499a5243a92e436',
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
        'lnbc20u1p4s2zuysp5qqqqqqqqqq0gfqrtq5vegqqjeq6nr02tr3j6wnnayxr09pn5jpkqpp50l7097cd59eexmejk30j60ey2dd0qelv2undwzckwusa48dur5lqdq8vdskkegxqrrsscqpj9qyysgqt8x8cxtk48dvtz6jzl59hasrfrxvtwy0rvhdyemvcxptqlhj2gyp094mdqm59mzvktrk486l0c76nf2u326ysgptg95e8tkjjsflr8sq03h2vx',
    },
    result: {
      proofs: [
        {
          bolt11:
            'lnbc20u1p4s2zuysp5qqqqqqqqqq0gfqrtq5vegqqjeq6nr02tr3j6wnnayxr09pn5jpkqpp50l7097cd59eexmejk30j60ey2dd0qelv2undwzckwusa48dur5lqdq8vdskkegxqrrsscqpj9qyysgqt8x8cxtk48dvtz6jzl59hasrfrxvtwy0rvhdyemvcxptqlhj2gyp094mdqm59mzvktrk486l0c76nf2u326ysgptg95e8tkjjsflr8sq03h2vx',
          payment_preimage: '8f6f5b9530cc0daf78f214ac7e066487052da262694e1b8b0499a5243a92e436',
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
        'lnbc20u1p4s2zuysp5qqqqqqqqqq0gfqrtq5vegqqjeq6nr02tr3j6wnnayxr09pn5jpkqpp50l7097cd59eexmejk30j60ey2dd0qelv2undwzckwusa48dur5lqdq8vdskkegxqrrsscqpj9qyysgqt8x8cxtk48dvtz6jzl59hasrfrxvtwy0rvhdyemvcxptqlhj2gyp094mdqm59mzvktrk486l0c76nf2u326ysgptg95e8tkjjsflr8sq03h2vx',
      payment_preimage: '8f6f5b9530cc0daf78f214ac7e066487052da262694e1b8b0499a5243a92e436',
    },
    result: {
      valid: true,
      type: 'bolt11 invoice',
      payment_hash: '7ffcf2fb0da173936f32b45f2d3f24535af067ec5726d70b167721da9dbc1d3e',
      payment_preimage: '8f6f5b9530cc0daf78f214ac7e066487052da262694e1b8b0499a5243a92e436',
      node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 2000000,
      description: 'cake',
      created_at: 1795492740,
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
        'lnbc30u1p4s2zuysp5qqqqqqqqqqkudsrtq5vegqqjurt26u0ya5442zrh7ssctnvjqz3qpp57sgunvzgj2hun0c9sfk9g8jme6sa5aunjy47yac24u09av62elcsdqqxqrrsscqpj9qyysgqxnf633un2wd3w7nznww5xzqyu7efrulwf6awc76g8grv9rltdrv4m4myqypaeu6fpv90du4x6zv4up3csc7s0rsaat6wdg0jmd2c3lgp4f3my0',
      simulated: true,
    },
  },
  {
    command: 'pay',
    params: {
      bolt11:
        'lnbc30u1p4s2zuysp5qqqqqqqqqqkudsrtq5vegqqjurt26u0ya5442zrh7ssctnvjqz3qpp57sgunvzgj2hun0c9sfk9g8jme6sa5aunjy47yac24u09av62elcsdqqxqrrsscqpj9qyysgqxnf633un2wd3w7nznww5xzqyu7efrulwf6awc76g8grv9rltdrv4m4myqypaeu6fpv90du4x6zv4up3csc7s0rsaat6wdg0jmd2c3lgp4f3my0',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: 'f411c9b04892afc9bf05826c541e5bcea1da7793912be2770aaf1e5eb34acff1',
      created_at: 1795492740.819,
      parts: 1,
      amount_msat: 3000000,
      amount_sent_msat: 3000000,
      payment_preimage: '5ce9f2b534fb8850ace7414316b43fdfaf6717a15c4c4d18efaf9115956a443e',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'listpays',
    params: { payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926' },
    result: {
      pays: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926',
          status: 'complete',
          created_at: 1795492740,
          completed_at: 1795492740,
          label: 'tea',
          preimage: '865ae9b71140804ddb40b5ac304c85776bac9694a53832da8f26befe8711cd29',
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
    params: { payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926' },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795492740,
          completed_at: 1795492740,
          status: 'complete',
          payment_preimage: '865ae9b71140804ddb40b5ac304c85776bac9694a53832da8f26befe8711cd29',
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
          id: '0effd92e6e7d67df9255e539aa0e5613',
          created_index: 2,
          command: 'keysend',
          payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795492740.279,
          completed_at: 1795492740.451,
          attempts: 1,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'getpayment',
    params: { payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926' },
    result: {
      payments: [
        {
          id: '0effd92e6e7d67df9255e539aa0e5613',
          created_index: 2,
          command: 'keysend',
          payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795492740.279,
          completed_at: 1795492740.451,
          maxfee_msat: 5000,
          maxdelay: 2016,
          retry_for: 60,
          layers: [],
          seed: 9909766526010778470n,
          attempts: [
            {
              id: 1,
              status: 'complete',
              partid: 0,
              amount_msat: 1000000,
              amount_sent_msat: 1000000,
              probability_ppm: 980000,
              created_at: 1795492740.281,
              completed_at: 1795492740.45,
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
        'lnbc30u1p4s2zuysp5qqqqqqqqqqkudsrtq5vegqqjurt26u0ya5442zrh7ssctnvjqz3qpp57sgunvzgj2hun0c9sfk9g8jme6sa5aunjy47yac24u09av62elcsdqqxqrrsscqpj9qyysgqxnf633un2wd3w7nznww5xzqyu7efrulwf6awc76g8grv9rltdrv4m4myqypaeu6fpv90du4x6zv4up3csc7s0rsaat6wdg0jmd2c3lgp4f3my0',
    },
    result: {
      pay: [
        {
          bolt11:
            'lnbc30u1p4s2zuysp5qqqqqqqqqqkudsrtq5vegqqjurt26u0ya5442zrh7ssctnvjqz3qpp57sgunvzgj2hun0c9sfk9g8jme6sa5aunjy47yac24u09av62elcsdqqxqrrsscqpj9qyysgqxnf633un2wd3w7nznww5xzqyu7efrulwf6awc76g8grv9rltdrv4m4myqypaeu6fpv90du4x6zv4up3csc7s0rsaat6wdg0jmd2c3lgp4f3my0',
          description: '',
          amount_msat: 3000000,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: 'f411c9b04892afc9bf05826c541e5bcea1da7793912be2770aaf1e5eb34acff1',
          status: 'complete',
          seed: 11106027846838147344n,
          attempts: [
            {
              strategy: 'Initial attempt',
              start_time: '2026-11-24T03:59:00.821Z',
              age_in_seconds: 0,
              end_time: '2026-11-24T03:59:00.985Z',
              state: 'completed',
              success: {
                id: 4,
                payment_preimage: '5ce9f2b534fb8850ace7414316b43fdfaf6717a15c4c4d18efaf9115956a443e',
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
      correction: { slope: 1.007033006697246, offset: 0.0016397735949057028 },
      priors: [{ prior: 'uniform', stale_ppm: 0, weight_ppm: 33333, simulated: true }],
      nodes: [
        {
          node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          away_ppm: 6537,
          seen_at: 1795492740,
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
          time: 1795492740.45,
          kind: 'payment',
          payment_id: '0effd92e6e7d67df9255e539aa0e5613',
          payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926',
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
          created_at: 1795492740.281,
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
      payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926',
      status: 'complete',
    },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '0eeee8a840671a300ea4c620f3dd7bc8cfd486202c49ed2de8e93ee2056d1926',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795492740,
          completed_at: 1795492740,
          status: 'complete',
          payment_preimage: '865ae9b71140804ddb40b5ac304c85776bac9694a53832da8f26befe8711cd29',
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
      offer_id: '0347e0fb816e867cd486788f791a76391ffc80da5c4d091be91357ab9a239556',
      active: true,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq9594vxm3nae50ewxyxfr59tkvp626nfyk2hd6npwg5ezy99wnj44qgpddrw4nljjq94cwdyygqudrz85uaxs2casva0443nmt2qj4ur884qqxvnryxmq0n5ly92esnll3crr5jmgwhulh9gf6tu8wvhkay23rffegejxqmzrspae6tz054s3846c6aandfksx8v2l2377uvxva0jqse2gxu5kxqzazja26wyd5ln80dfur8zcuppqqef4w8y9ww39tvs2eeguez9heetxy9mu8a7vdya79zjgq27m36s7yth9ds39y070x6ee2jy99vh9dwwuva3vggrvcgjpxs4nffkv2slehmfzn8jca950ww3pepepvhj32vlrg95xt2s',
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
          offer_id: '0347e0fb816e867cd486788f791a76391ffc80da5c4d091be91357ab9a239556',
          active: true,
          single_use: false,
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq9594vxm3nae50ewxyxfr59tkvp626nfyk2hd6npwg5ezy99wnj44qgpddrw4nljjq94cwdyygqudrz85uaxs2casva0443nmt2qj4ur884qqxvnryxmq0n5ly92esnll3crr5jmgwhulh9gf6tu8wvhkay23rffegejxqmzrspae6tz054s3846c6aandfksx8v2l2377uvxva0jqse2gxu5kxqzazja26wyd5ln80dfur8zcuppqqef4w8y9ww39tvs2eeguez9heetxy9mu8a7vdya79zjgq27m36s7yth9ds39y070x6ee2jy99vh9dwwuva3vggrvcgjpxs4nffkv2slehmfzn8jca950ww3pepepvhj32vlrg95xt2s',
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
    params: { offer_id: '0347e0fb816e867cd486788f791a76391ffc80da5c4d091be91357ab9a239556' },
    result: {
      offer_id: '0347e0fb816e867cd486788f791a76391ffc80da5c4d091be91357ab9a239556',
      active: false,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq9594vxm3nae50ewxyxfr59tkvp626nfyk2hd6npwg5ezy99wnj44qgpddrw4nljjq94cwdyygqudrz85uaxs2casva0443nmt2qj4ur884qqxvnryxmq0n5ly92esnll3crr5jmgwhulh9gf6tu8wvhkay23rffegejxqmzrspae6tz054s3846c6aandfksx8v2l2377uvxva0jqse2gxu5kxqzazja26wyd5ln80dfur8zcuppqqef4w8y9ww39tvs2eeguez9heetxy9mu8a7vdya79zjgq27m36s7yth9ds39y070x6ee2jy99vh9dwwuva3vggrvcgjpxs4nffkv2slehmfzn8jca950ww3pepepvhj32vlrg95xt2s',
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
      invreq_id: '5ab6a5740c4d96774844bcf4db6b327ad581393c66a3dbafe5f6af2b5692897f',
      active: true,
      single_use: true,
      bolt12:
        'lnr1qqg2g7spj020ytcsz3wng4jtful7zzsxwfjkvatwv3fqyyugtqssxes3yzdptxjnvc4pln0kj9x0936tg7uazrjrjze09z5e7xstgvk4tthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqwk9l7q8x7kks50h7wvknwc5s4ajs6hvx5kgdrzpmehjvxagfzaekqsrg25t47928l9c75mgl0g9qk34ejkp5r0l06skkcnyqjxm9cwq9ltsqv6qmz8l723zzczhkkwam4u2m7qlq2fq34ncrcg89mlf2wcddg7cdyt2a5llxz8y6mfrdj8v7muvmfvegtxlqgw2mmqy308f6et4tuc6u39caft7y4ezv5pcy090grehxqn3nm9czqpj2m9qsv6dmdxk9xngg8ml5tnmlwtk4emjkyzfc2knyuezxjetjlm5lwyvg8cqhd4psgv3zlxslh9yuj427pq2hduy2yeflrgn5tscpdw07p5zqrfauaxjyr86ptzwdmd0xyytyxc562rdzrf0xu68fj288jzpt5ztdf7awhr4z432lhl0gwqdplfpts',
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
          invreq_id: '5ab6a5740c4d96774844bcf4db6b327ad581393c66a3dbafe5f6af2b5692897f',
          active: true,
          single_use: true,
          bolt12:
            'lnr1qqg2g7spj020ytcsz3wng4jtful7zzsxwfjkvatwv3fqyyugtqssxes3yzdptxjnvc4pln0kj9x0936tg7uazrjrjze09z5e7xstgvk4tthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqwk9l7q8x7kks50h7wvknwc5s4ajs6hvx5kgdrzpmehjvxagfzaekqsrg25t47928l9c75mgl0g9qk34ejkp5r0l06skkcnyqjxm9cwq9ltsqv6qmz8l723zzczhkkwam4u2m7qlq2fq34ncrcg89mlf2wcddg7cdyt2a5llxz8y6mfrdj8v7muvmfvegtxlqgw2mmqy308f6et4tuc6u39caft7y4ezv5pcy090grehxqn3nm9czqpj2m9qsv6dmdxk9xngg8ml5tnmlwtk4emjkyzfc2knyuezxjetjlm5lwyvg8cqhd4psgv3zlxslh9yuj427pq2hduy2yeflrgn5tscpdw07p5zqrfauaxjyr86ptzwdmd0xyytyxc562rdzrf0xu68fj288jzpt5ztdf7awhr4z432lhl0gwqdplfpts',
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
    params: { invreq_id: '5ab6a5740c4d96774844bcf4db6b327ad581393c66a3dbafe5f6af2b5692897f' },
    result: {
      invreq_id: '5ab6a5740c4d96774844bcf4db6b327ad581393c66a3dbafe5f6af2b5692897f',
      active: false,
      single_use: true,
      bolt12:
        'lnr1qqg2g7spj020ytcsz3wng4jtful7zzsxwfjkvatwv3fqyyugtqssxes3yzdptxjnvc4pln0kj9x0936tg7uazrjrjze09z5e7xstgvk4tthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqwk9l7q8x7kks50h7wvknwc5s4ajs6hvx5kgdrzpmehjvxagfzaekqsrg25t47928l9c75mgl0g9qk34ejkp5r0l06skkcnyqjxm9cwq9ltsqv6qmz8l723zzczhkkwam4u2m7qlq2fq34ncrcg89mlf2wcddg7cdyt2a5llxz8y6mfrdj8v7muvmfvegtxlqgw2mmqy308f6et4tuc6u39caft7y4ezv5pcy090grehxqn3nm9czqpj2m9qsv6dmdxk9xngg8ml5tnmlwtk4emjkyzfc2knyuezxjetjlm5lwyvg8cqhd4psgv3zlxslh9yuj427pq2hduy2yeflrgn5tscpdw07p5zqrfauaxjyr86ptzwdmd0xyytyxc562rdzrf0xu68fj288jzpt5ztdf7awhr4z432lhl0gwqdplfpts',
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
        'lni1qqgg73cnh34wpc985fwuglvxepnawzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyyp0mnsezamfucw7qxkdkzxve38ktaszgymljurj5ch0djj9ngkcyfaql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpc9kxavadexqrhy4zexmrrx5t532t72e8edymwvu70uzgyjsg025gr…',
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
        'lni1qqs97zcf5lvwquaxhnwmx4tp0anayd2ueejvn4me6nx88ghgvsvl6rsgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzqkvw9qcep6ulsswg0ygk42fexymcwt0gjdseatghqsgcywvwl3dy2s06q7kqgexks3qk6nl8epd5kvmu5j6mw4v37pgsrxv9wfk5k5ae5fyt6x9zqcck5h0hynxzm2emercv84uveu0y3l9yhklfvlxtxls…',
      changes: {
        next_period: {
          counter: 1,
          starttime: 1796097541,
          endtime: 1796702340,
          paywindow_start: 1795492741,
          paywindow_end: 1796702340,
        },
      },
      next_period: {
        counter: 1,
        starttime: 1796097541,
        endtime: 1796702340,
        paywindow_start: 1795492741,
        paywindow_end: 1796702340,
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
        'lnr1qqs97zcf5lvwquaxhnwmx4tp0anayd2ueejvn4me6nx88ghgvsvl6rsgqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzqkvw9qcep6ulsswg0ygk42fexymcwt0gjdseatghqsgcywvwl3dytcypqx9fqefrccvn9ywfg4u072k4hphmxa3m2vatj32mqnwrnnr4rs6npnt4j2hlh0mpejgh5vzxezwt6rzsspqa60l3435wk3w0cygcvn0uwu6egvqyqg8lemnt9zuqyqluae4j30qq',
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
          created_at: 1795492741.044,
          took_ms: 131,
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
              took_ms: 129,
              route: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
            },
          ],
          invoice:
            'lni1qqgg73cnh34wpc985fwuglvxepnawzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyyp0mnsezamfucw7qxkdkzxve38ktaszgymljurj5ch0djj9ngkcyfaql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qpc9kxavadexqrhy4zexmrrx5t532t72e8edymwvu70uzgyjsg025gr…',
          invoiced: {
            description: 'coffee',
            vendor: 'corner café',
            amount_msat: 10000,
            created_at: 1795492741,
            expires_at: 1795499941,
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
      rune: 'TEG6qx03OrNlbXGisiF1ly764yfSmYYnUtcmhNRAE2M9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      unique_id: '0',
    },
  },
  {
    command: 'checkrune',
    params: {
      rune: 'TEG6qx03OrNlbXGisiF1ly764yfSmYYnUtcmhNRAE2M9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      method: 'listpays',
    },
    result: { valid: true },
  },
  {
    command: 'showrunes',
    params: {
      rune: 'TEG6qx03OrNlbXGisiF1ly764yfSmYYnUtcmhNRAE2M9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
    },
    result: {
      runes: [
        {
          rune: 'TEG6qx03OrNlbXGisiF1ly764yfSmYYnUtcmhNRAE2M9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
          last_used: 1795492741.591,
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
      rune: 'dxdY_rnod3sqklMKJWCwHgmiWXweM0V3C7nfW1e10pE9MSZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1zdW1tYXJ5Jm1ldGhvZC9saXN0ZGF0YXN0b3Jl',
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
    result: { created_at: '1795492739.660000000', bytes_used: 0, bytes_max: 1000000, log: [] },
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
      url: 'http://127.0.0.1:39827/ui/#code=ynb7MJHdW9-3s0UtyZGWHg',
      unique_id: '2',
      valid_until: 1798084741,
      link_valid_until: 1795492801,
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
      seed: 12240775806548092553n,
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
      payment_preimage: '2bf8f248bde595146ac7d9feb71f0b5869c4e91174ec6a1d0676447a17b0e882',
      amount_msat: 20000000,
      amount_sent_msat: 20003020,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
];
