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
      id: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
      alias: 'fulgurite-5a18a914',
      color: '035a18',
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
              timestamp: '2026-11-24T05:02:45.720Z',
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
      source: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
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
              node_id_in: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
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
                  node_id_in: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
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
      source: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
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
                  node_id_in: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
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
      source: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
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
          timestamp: 1795496565,
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
      biases: [{ layer: 'mine', short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795496565 }],
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
          timestamp: 1795496565,
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
              source: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
              destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              short_channel_id: '1x2x3',
              capacity_msat: 100000000,
            },
          ],
          channel_updates: [
            { short_channel_id_dir: '500000x277x0/0', enabled: true, htlc_maximum_msat: 50000000 },
          ],
          constraints: [
            { short_channel_id_dir: '500000x277x0/0', timestamp: 1795496565, maximum_msat: 19999999 },
          ],
          impressions: [],
          biases: [{ short_channel_id_dir: '500000x277x0/0', bias: -5, timestamp: 1795496565 }],
          node_biases: [
            {
              node: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
              in_bias: 0,
              out_bias: 10,
              timestamp: 1795496565,
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
          timestamp: 1795496565,
        },
      ],
      num_beliefs: 1,
    },
  },
  {
    command: 'askrene-difflayers',
    params: {
      source: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
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
                node_id_in: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
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
                node_id_in: '035a18a9149fb4b51a94143f40acc36688ff516373106a5c0f9fad0e8dc6ba8d04',
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
          timestamp: 1795496565,
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
          command_id: 'cli:askrene-reserve#30296',
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
      seed: 6372777019397818738n,
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
          odds: { balances_ppm: 1000000, nodes_ppm: 1000000, searched_ppm: 1000000, unknown_hops: 0 },
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
      payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a',
      created_at: 1795496566.001,
      parts: 1,
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      payment_preimage: 'c13b17d28d226d1bca9435d661859bd0f044c8207dff670c8a050db7eab76f2a',
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
      payment_preimage: '3a60a26dc1f2adfc7f2c95edd568a9cd47ab4332c106a7f9e79574b50eeb61c4',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
  {
    command: 'waitsendpay',
    params: { payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a' },
    result: {
      created_index: 1,
      id: 1,
      payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a',
      groupid: 0,
      updated_index: 1,
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      amount_sent_msat: 1000000,
      created_at: 1795496566,
      completed_at: 1795496566,
      status: 'complete',
      payment_preimage: 'c13b17d28d226d1bca9435d661859bd0f044c8207dff670c8a050db7eab76f2a',
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
        'lnbc20u1p4s2xnksp5qqqqqqqqqq0gfqrtq55gvqqj8e968t306cvjlcg2rtdhzj402gespp5gtd79w8wh50hz7npmjdzr7vhej2drdjfucjq8kd0w8v6dyh69gzsdq8vdskkegxqrrsscqpj9qyysgq9mhjnhqw9wadh4lr7g3kwx3h8w7jqwp2u3jcwkn2admz6a6aut0hg8qpp76utvqkjvj2uxs02a3gkcz0u5y0cy8622huwa8q7m62j6cqtpsye2',
      simulated: true,
    },
  },
  {
    command: 'planxpay',
    params: {
      invstring:
        'lnbc20u1p4s2xnksp5qqqqqqqqqq0gfqrtq55gvqqj8e968t306cvjlcg2rtdhzj402gespp5gtd79w8wh50hz7npmjdzr7vhej2drdjfucjq8kd0w8v6dyh69gzsdq8vdskkegxqrrsscqpj9qyysgq9mhjnhqw9wadh4lr7g3kwx3h8w7jqwp2u3jcwkn2admz6a6aut0hg8qpp76utvqkjvj2uxs02a3gkcz0u5y0cy8622huwa8q7m62j6cqtpsye2',
    },
    result: {
      seed: 10759871052788414180n,
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
          odds: { balances_ppm: 1000000, nodes_ppm: 1000000, searched_ppm: 1000000, unknown_hops: 0 },
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
    command: 'exportlearned',
    params: {},
    result: {
      chain: 'bitcoin',
      simulated_network: true,
      exported_at: 1795496566,
      state: {
        version: 1,
        observed: 2,
        weights: [0.03333333333333333],
        correction: {
          slope: 1.0043984665206416,
          offset: 0.0010826854883350294,
          precision: [30.505201679895528],
        },
        nodes: [['03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c']],
      },
      simulated: true,
    },
  },
  {
    command: 'importlearned',
    params: {
      learned: {
        chain: 'bitcoin',
        simulated_network: true,
        exported_at: 1795496566,
        state: {
          version: 1,
          observed: 2,
          weights: [
            0.03333333333333333, 0.03333333333333333, 0.03333333333333333, 0.03333333333333333,
            0.03333333333333333, 0.03333333333333333, 0.03333333333333333, 0.03333333333333333,
            0.03333333333333333, 0.03333333333333333, 0.03333333333333333, 0.03333333333333333,
            0.03333333333333333, 0.03333333333333333, 0.03333333333333333, 0.03333333333333333,
            0.03333333333333333, 0.03333333333333333, 0.03333333333333333, 0.03333333333333333,
            0.03333333333333333, 0.03333333333333333, 0.03333333333333333, 0.03333333333333333,
            0.03333333333333333, 0.03333333333333333, 0.03333333333333333, 0.03333333333333333,
            0.03333333333333333, 0.03333333333333333,
          ],
          correction: {
            slope: 1.0043984665206416,
            offset: 0.0010826854883350294,
            precision: [30.505201679895528, 0.13139151458657378, 30.002351697383215],
          },
          nodes: [['03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c', 2, 0, 1795496566]],
        },
        simulated: true,
      },
      dry_run: true,
    },
    result: {
      imported: false,
      attempts: 2,
      nodes: 1,
      unknown_nodes: 0,
      nodes_differing: 0,
      away_ppm: 19608,
      weights_moved_ppm: 0,
      simulated: true,
    },
  },
  {
    command: 'planrebalance',
    params: { maxfee: '100sat', maxfee_ppm: 1000 },
    result: { wanted_msat: 0, amount_msat: 0, fee_msat: 0, parts: [], channels: [], simulated: true },
  },
  {
    command: 'rebalance',
    params: { maxfee: '100sat', amount_msat: '100000sat', maxfee_ppm: 1000 },
    result: { wanted_msat: 0, amount_msat: 0, fee_msat: 0, parts: [], simulated: true },
  },
  {
    command: 'addwebhook',
    params: { url: 'https://hooks.example/payments' },
    result: {
      webhook_id: '59bd8e58c7d3d1ee7dd91157fcb8b75d',
      url: 'https://hooks.example/payments',
      events: ['complete'],
      created_at: 1795496566,
      secret: 'whsec_7t29TnjwRfNx12Ki4O8SpyTZNOhdLH+NLqWPniCsPaU=',
    },
  },
  {
    command: 'listwebhooks',
    params: {},
    result: {
      webhooks: [
        {
          webhook_id: '59bd8e58c7d3d1ee7dd91157fcb8b75d',
          url: 'https://hooks.example/payments',
          events: ['complete'],
          created_at: 1795496566,
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
    params: { webhook_id: '59bd8e58c7d3d1ee7dd91157fcb8b75d' },
    result: {
      webhook_id: '59bd8e58c7d3d1ee7dd91157fcb8b75d',
      url: 'https://hooks.example/payments',
      events: ['complete'],
      created_at: 1795496566,
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
      quote_id: '9d955654806a2620eee9c40e2441c82d',
      command: 'xkeysend',
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      fee_msat: 0,
      maxfee_msat: 0,
      confidence_ppm: 990000,
      probability_ppm: 1000000,
      parts: 1,
      held_msat: 0,
      created_at: 1795496566,
      expires_at: 1795500166,
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
    params: { quote_id: '9d955654806a2620eee9c40e2441c82d' },
    result: {
      quotes: [
        {
          quote_id: '9d955654806a2620eee9c40e2441c82d',
          command: 'xkeysend',
          invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          fee_msat: 0,
          maxfee_msat: 0,
          confidence_ppm: 990000,
          probability_ppm: 1000000,
          parts: 1,
          held_msat: 0,
          created_at: 1795496566,
          expires_at: 1795500166,
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
    params: { quote_id: '9d955654806a2620eee9c40e2441c82d' },
    result: {
      quote_id: '9d955654806a2620eee9c40e2441c82d',
      command: 'xkeysend',
      invstring: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 1000000,
      fee_msat: 0,
      maxfee_msat: 0,
      confidence_ppm: 990000,
      probability_ppm: 1000000,
      parts: 1,
      held_msat: 0,
      created_at: 1795496566,
      expires_at: 1795500166,
      simulated: true,
    },
  },
  {
    command: 'xpay',
    params: {
      invstring:
        'lnbc20u1p4s2xnksp5qqqqqqqqqq0gfqrtq55gvqqj8e968t306cvjlcg2rtdhzj402gespp5gtd79w8wh50hz7npmjdzr7vhej2drdjfucjq8kd0w8v6dyh69gzsdq8vdskkegxqrrsscqpj9qyysgq9mhjnhqw9wadh4lr7g3kwx3h8w7jqwp2u3jcwkn2admz6a6aut0hg8qpp76utvqkjvj2uxs02a3gkcz0u5y0cy8622huwa8q7m62j6cqtpsye2',
    },
    result: {
      payment_preimage: 'dbd360cee8e57d3e781fe5059c57a7c452e3c18e2b78734804cf1a5b5656c507',
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
        'lnbc20u1p4s2xnksp5qqqqqqqqqq0gfqrtq55gvqqj8e968t306cvjlcg2rtdhzj402gespp5gtd79w8wh50hz7npmjdzr7vhej2drdjfucjq8kd0w8v6dyh69gzsdq8vdskkegxqrrsscqpj9qyysgq9mhjnhqw9wadh4lr7g3kwx3h8w7jqwp2u3jcwkn2admz6a6aut0hg8qpp76utvqkjvj2uxs02a3gkcz0u5y0cy8622huwa8q7m62j6cqtpsye2',
    },
    result: {
      proofs: [
        {
          bolt11:
            'lnbc20u1p4s2xnksp5qqqqqqqqqq0gfqrtq55gvqqj8e968t306cvjlcg2rtdhzj402gespp5gtd79w8wh50hz7npmjdzr7vhej2drdjfucjq8kd0w8v6dyh69gzsdq8vdskkegxqrrsscqpj9qyysgq9mhjnhqw9wadh4lr7g3kwx3h8w7jqwp2u3jcwkn2admz6a6aut0hg8qpp76utvqkjvj2uxs02a3gkcz0u5y0cy8622huwa8q7m62j6cqtpsye2',
          payment_preimage: 'dbd360cee8e57d3e781fe5059c57a7c452e3c18e2b78734804cf1a5b5656c507',
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
        'lnbc20u1p4s2xnksp5qqqqqqqqqq0gfqrtq55gvqqj8e968t306cvjlcg2rtdhzj402gespp5gtd79w8wh50hz7npmjdzr7vhej2drdjfucjq8kd0w8v6dyh69gzsdq8vdskkegxqrrsscqpj9qyysgq9mhjnhqw9wadh4lr7g3kwx3h8w7jqwp2u3jcwkn2admz6a6aut0hg8qpp76utvqkjvj2uxs02a3gkcz0u5y0cy8622huwa8q7m62j6cqtpsye2',
      payment_preimage: 'dbd360cee8e57d3e781fe5059c57a7c452e3c18e2b78734804cf1a5b5656c507',
    },
    result: {
      valid: true,
      type: 'bolt11 invoice',
      payment_hash: '42dbe2b8eebd1f717a61dc9a21f997cc94d1b649e62403d9af71d9a692fa2a05',
      payment_preimage: 'dbd360cee8e57d3e781fe5059c57a7c452e3c18e2b78734804cf1a5b5656c507',
      node_id: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      amount_msat: 2000000,
      description: 'cake',
      created_at: 1795496566,
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
        'lnbc30u1p4s2xnksp5qqqqqqqqqqkudsrtq55gvqqjq90anpzzgph5d5flzc9hlsh6pw3spp5mpg257zsjg23x9fcfzq4uu4apd3th30vlpea603epcnhhuyjnllsdqqxqrrsscqpj9qyysgqag757ekmpvls9he0akf2q8tlnxqwjm3ec79j2tlgmlawljmpcn3sfdxeh368xhzxa3d3rl3srnx6u2sph445cch52jf6jxuh9pk4q7qpaequv3',
      simulated: true,
    },
  },
  {
    command: 'pay',
    params: {
      bolt11:
        'lnbc30u1p4s2xnksp5qqqqqqqqqqkudsrtq55gvqqjq90anpzzgph5d5flzc9hlsh6pw3spp5mpg257zsjg23x9fcfzq4uu4apd3th30vlpea603epcnhhuyjnllsdqqxqrrsscqpj9qyysgqag757ekmpvls9he0akf2q8tlnxqwjm3ec79j2tlgmlawljmpcn3sfdxeh368xhzxa3d3rl3srnx6u2sph445cch52jf6jxuh9pk4q7qpaequv3',
    },
    result: {
      destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      payment_hash: 'd850aa7850921513153848815e72bd0b62bbc5ecf873dd3e390e277bf0929fff',
      created_at: 1795496566.538,
      parts: 1,
      amount_msat: 3000000,
      amount_sent_msat: 3000000,
      payment_preimage: '738c2edbdc593a9b329b3562831bce33fa73b69fadc19f58f927d1a606a7f0ef',
      status: 'complete',
      simulated: true,
    },
  },
  {
    command: 'listpays',
    params: { payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a' },
    result: {
      pays: [
        {
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a',
          status: 'complete',
          created_at: 1795496566,
          completed_at: 1795496566,
          label: 'tea',
          preimage: 'c13b17d28d226d1bca9435d661859bd0f044c8207dff670c8a050db7eab76f2a',
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
    params: { payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a' },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795496566,
          completed_at: 1795496566,
          status: 'complete',
          payment_preimage: 'c13b17d28d226d1bca9435d661859bd0f044c8207dff670c8a050db7eab76f2a',
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
          id: '0d5bc810b5efbaceac669f78796b1ec1',
          created_index: 2,
          command: 'keysend',
          payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795496566.001,
          completed_at: 1795496566.164,
          attempts: 1,
          simulated: true,
        },
      ],
      simulated: true,
    },
  },
  {
    command: 'getpayment',
    params: { payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a' },
    result: {
      payments: [
        {
          id: '0d5bc810b5efbaceac669f78796b1ec1',
          created_index: 2,
          command: 'keysend',
          payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a',
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          label: 'tea',
          status: 'complete',
          created_at: 1795496566.001,
          completed_at: 1795496566.164,
          maxfee_msat: 5000,
          maxdelay: 2016,
          retry_for: 60,
          layers: [],
          seed: 16678841741517455281n,
          attempts: [
            {
              id: 1,
              status: 'complete',
              partid: 0,
              amount_msat: 1000000,
              amount_sent_msat: 1000000,
              probability_ppm: 980000,
              created_at: 1795496566.003,
              completed_at: 1795496566.164,
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
        'lnbc30u1p4s2xnksp5qqqqqqqqqqkudsrtq55gvqqjq90anpzzgph5d5flzc9hlsh6pw3spp5mpg257zsjg23x9fcfzq4uu4apd3th30vlpea603epcnhhuyjnllsdqqxqrrsscqpj9qyysgqag757ekmpvls9he0akf2q8tlnxqwjm3ec79j2tlgmlawljmpcn3sfdxeh368xhzxa3d3rl3srnx6u2sph445cch52jf6jxuh9pk4q7qpaequv3',
    },
    result: {
      pay: [
        {
          bolt11:
            'lnbc30u1p4s2xnksp5qqqqqqqqqqkudsrtq55gvqqjq90anpzzgph5d5flzc9hlsh6pw3spp5mpg257zsjg23x9fcfzq4uu4apd3th30vlpea603epcnhhuyjnllsdqqxqrrsscqpj9qyysgqag757ekmpvls9he0akf2q8tlnxqwjm3ec79j2tlgmlawljmpcn3sfdxeh368xhzxa3d3rl3srnx6u2sph445cch52jf6jxuh9pk4q7qpaequv3',
          description: '',
          amount_msat: 3000000,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          payment_hash: 'd850aa7850921513153848815e72bd0b62bbc5ecf873dd3e390e277bf0929fff',
          status: 'complete',
          seed: 16626197753211287145n,
          attempts: [
            {
              strategy: 'Initial attempt',
              start_time: '2026-11-24T05:02:46.539Z',
              age_in_seconds: 0,
              end_time: '2026-11-24T05:02:46.699Z',
              state: 'completed',
              success: {
                id: 4,
                payment_preimage: '738c2edbdc593a9b329b3562831bce33fa73b69fadc19f58f927d1a606a7f0ef',
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
          away_ppm: 6536,
          seen_at: 1795496566,
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
          time: 1795496566.164,
          kind: 'payment',
          payment_id: '0d5bc810b5efbaceac669f78796b1ec1',
          payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a',
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
          created_at: 1795496566.003,
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
      payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a',
      status: 'complete',
    },
    result: {
      payments: [
        {
          created_index: 1,
          id: 1,
          payment_hash: '0f2a83348076e0712e6ac33a7ee5849033bf7aa566cf46ae0067f269155f3a6a',
          groupid: 0,
          updated_index: 1,
          destination: '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
          amount_msat: 1000000,
          amount_sent_msat: 1000000,
          created_at: 1795496566,
          completed_at: 1795496566,
          status: 'complete',
          payment_preimage: 'c13b17d28d226d1bca9435d661859bd0f044c8207dff670c8a050db7eab76f2a',
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
      offer_id: '47a41cd9e83b7a9fbe9e1967a164f41f9a734b55788e78aff885fed9f2a3be77',
      active: true,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq8fq4skwj5ddmj3f4c9uzrsw0jr6aqzvs3jazv3zfkqk46wg5vsdaqgpee428tkyuurlsvqs8fx7gl7juda32rsyjel30957gg5h8ksmpflgqxwycu9khe0027g390lxmr4rc4hyy09p0dut4l6dzvddtrtxj8vr4mjx0pdwt5py58ztffcndan5y7egcw42qx4f6mqcf4xp457agp2nyv6020n686y82elldcypnlmc9vxvsza6gqqef7zfrul2f5nmx8kkxxjxjxs3umrlrv6tw4qnm9zwgdtm0p3rv40edygx7w82rcyh7ssccdxq8etve0rxpvggrtgv2j9ylkj6349q58aq2esmx3rl4zcmnzp49crul458gm34635zq',
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
          offer_id: '47a41cd9e83b7a9fbe9e1967a164f41f9a734b55788e78aff885fed9f2a3be77',
          active: true,
          single_use: false,
          bolt12:
            'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq8fq4skwj5ddmj3f4c9uzrsw0jr6aqzvs3jazv3zfkqk46wg5vsdaqgpee428tkyuurlsvqs8fx7gl7juda32rsyjel30957gg5h8ksmpflgqxwycu9khe0027g390lxmr4rc4hyy09p0dut4l6dzvddtrtxj8vr4mjx0pdwt5py58ztffcndan5y7egcw42qx4f6mqcf4xp457agp2nyv6020n686y82elldcypnlmc9vxvsza6gqqef7zfrul2f5nmx8kkxxjxjxs3umrlrv6tw4qnm9zwgdtm0p3rv40edygx7w82rcyh7ssccdxq8etve0rxpvggrtgv2j9ylkj6349q58aq2esmx3rl4zcmnzp49crul458gm34635zq',
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
    params: { offer_id: '47a41cd9e83b7a9fbe9e1967a164f41f9a734b55788e78aff885fed9f2a3be77' },
    result: {
      offer_id: '47a41cd9e83b7a9fbe9e1967a164f41f9a734b55788e78aff885fed9f2a3be77',
      active: false,
      single_use: false,
      bolt12:
        'lno1pqpzwyq2qe3k7enxv4j3pmsrckqm7vgvfjtmqhj7dlkjlqkcwtec3my6klclah0a2wqdmv7x2vwq8fq4skwj5ddmj3f4c9uzrsw0jr6aqzvs3jazv3zfkqk46wg5vsdaqgpee428tkyuurlsvqs8fx7gl7juda32rsyjel30957gg5h8ksmpflgqxwycu9khe0027g390lxmr4rc4hyy09p0dut4l6dzvddtrtxj8vr4mjx0pdwt5py58ztffcndan5y7egcw42qx4f6mqcf4xp457agp2nyv6020n686y82elldcypnlmc9vxvsza6gqqef7zfrul2f5nmx8kkxxjxjxs3umrlrv6tw4qnm9zwgdtm0p3rv40edygx7w82rcyh7ssccdxq8etve0rxpvggrtgv2j9ylkj6349q58aq2esmx3rl4zcmnzp49crul458gm34635zq',
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
      invreq_id: '46512ed847135f179b91e8346ccc93a4398d0c9c139c70c4b701b463ed4941c9',
      active: true,
      single_use: true,
      bolt12:
        'lnr1qqg8me98fxaqw5j83t3y3f6plqxcwzsxwfjkvatwv3fqyyugtqssxksc4y2fld94r22pg06q4npkdz8l293hxyr2ts8eltgw3hrt4rgytthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqvczwsnr8kpgv9aajhtwgshdn09xqfjgasn6yd6vwffr4d9nwc3jgqsragtm6flxufwkkflnnrqehxfaua2tyupewf82vfllhppenuqwzu2sqvl4kegav9lcj0v99fy7xhxrj04hcdjnp7vc7ttyj2marymw8mgp9gcgl0527un0d8nvuv2w2yhtydzukpgfqg9mrj3du6ymqwh388rvmefs8qxz6x6ke3rcz96yuuq742hcqmy0wqpj7jkj6kvvs3augw25hsnhyd6r4at07w94053hq7egvcz8uxvw27leg7uuauxfty3tn0g5yhtayyu3ppnc7pq0fehy0t48ahn3c7yev5nrzjnyvtxhl5g4zwjln6m5jhprqvxua87gmrypslfa5rpz5chstktwyya9vk97mwp9ntgxck9ladx5mz2gnc',
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
          invreq_id: '46512ed847135f179b91e8346ccc93a4398d0c9c139c70c4b701b463ed4941c9',
          active: true,
          single_use: true,
          bolt12:
            'lnr1qqg8me98fxaqw5j83t3y3f6plqxcwzsxwfjkvatwv3fqyyugtqssxksc4y2fld94r22pg06q4npkdz8l293hxyr2ts8eltgw3hrt4rgytthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqvczwsnr8kpgv9aajhtwgshdn09xqfjgasn6yd6vwffr4d9nwc3jgqsragtm6flxufwkkflnnrqehxfaua2tyupewf82vfllhppenuqwzu2sqvl4kegav9lcj0v99fy7xhxrj04hcdjnp7vc7ttyj2marymw8mgp9gcgl0527un0d8nvuv2w2yhtydzukpgfqg9mrj3du6ymqwh388rvmefs8qxz6x6ke3rcz96yuuq742hcqmy0wqpj7jkj6kvvs3augw25hsnhyd6r4at07w94053hq7egvcz8uxvw27leg7uuauxfty3tn0g5yhtayyu3ppnc7pq0fehy0t48ahn3c7yev5nrzjnyvtxhl5g4zwjln6m5jhprqvxua87gmrypslfa5rpz5chstktwyya9vk97mwp9ntgxck9ladx5mz2gnc',
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
    params: { invreq_id: '46512ed847135f179b91e8346ccc93a4398d0c9c139c70c4b701b463ed4941c9' },
    result: {
      invreq_id: '46512ed847135f179b91e8346ccc93a4398d0c9c139c70c4b701b463ed4941c9',
      active: false,
      single_use: true,
      bolt12:
        'lnr1qqg8me98fxaqw5j83t3y3f6plqxcwzsxwfjkvatwv3fqyyugtqssxksc4y2fld94r22pg06q4npkdz8l293hxyr2ts8eltgw3hrt4rgytthq83vphucscnyhkp09umld97pdsuhn3rkf4dl3lmwl65uqmkeuv5cuqvczwsnr8kpgv9aajhtwgshdn09xqfjgasn6yd6vwffr4d9nwc3jgqsragtm6flxufwkkflnnrqehxfaua2tyupewf82vfllhppenuqwzu2sqvl4kegav9lcj0v99fy7xhxrj04hcdjnp7vc7ttyj2marymw8mgp9gcgl0527un0d8nvuv2w2yhtydzukpgfqg9mrj3du6ymqwh388rvmefs8qxz6x6ke3rcz96yuuq742hcqmy0wqpj7jkj6kvvs3augw25hsnhyd6r4at07w94053hq7egvcz8uxvw27leg7uuauxfty3tn0g5yhtayyu3ppnc7pq0fehy0t48ahn3c7yev5nrzjnyvtxhl5g4zwjln6m5jhprqvxua87gmrypslfa5rpz5chstktwyya9vk97mwp9ntgxck9ladx5mz2gnc',
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
        'lni1qqg8ny92sew6t3ewhp0jzq06vtm4wzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypgqrl30jdrt5ewc8fak8hyldd8nkf4q5pfxxadkrv4maadnnddwq9ql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qp3hy62padydweqfpvm6v5epkpjg00a866v9jw7s4e5cee94pk7mjsr…',
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
        'lni1qqszxfumtx6uvu2kxzyn8cd7ur6g837gu7rst7dzmrkact7hkjp7eeggqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzqn6xsugydg4m9nj27kx7l3hf9addkwacsj88wxvvfwvwlt25r3jq7s06q7kqgexks3qk6nl8epd5kvmu5j6mw4v37pgsrxv9wfk5k5ae5fyt6x9zqs3drjuzmh3w3guj26t2p5xsyn90e69h8pepl4htsag…',
      changes: {
        next_period: {
          counter: 1,
          starttime: 1796101367,
          endtime: 1796706166,
          paywindow_start: 1795496567,
          paywindow_end: 1796706166,
        },
      },
      next_period: {
        counter: 1,
        starttime: 1796101367,
        endtime: 1796706166,
        paywindow_start: 1795496567,
        paywindow_end: 1796706166,
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
        'lnr1qqszxfumtx6uvu2kxzyn8cd7ur6g837gu7rst7dzmrkact7hkjp7eeggqgp7szstwajk26mv0ysxuethwvtzzqc0w3ccaw2e7xpnj5n544phcn2ywj55h7tr2wcdlcasxpndvg4fuavzzqn6xsugydg4m9nj27kx7l3hf9addkwacsj88wxvvfwvwlt25r3jqlcyqf9cc4lv0xpzemrszhccq6lr7q9yln8f5azfn2v30jdrqjztu7zau3mz30ulh4ug76y36g3fmtaymngqq952spshrxlmnmqlrpxqed9luwu6egvqyqg8lemnt9zuqyqluae4j30qq',
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
          created_at: 1795496566.753,
          took_ms: 137,
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
              took_ms: 135,
              route: ['0255a0e1286c832286eda137bbefe17f21af265a08bbea481a6ea96b9f4b5f84ac'],
            },
          ],
          invoice:
            'lni1qqg8ny92sew6t3ewhp0jzq06vtm4wzqzyugq5pnrdanxvet9zgxxxmmjdejhygrrv9nv82gkyyp9tg8p9pkgxg5xaksn0wl0u9ljrtextgyth6jgrfh2j6ulfd0cftzcyypgqrl30jdrt5ewc8fak8hyldd8nkf4q5pfxxadkrv4maadnnddwq9ql5z4yq5juht0le7pzcj9v3929dh4qt2as994yy7rqrtmhd2xz7tjeajf5qp3hy62padydweqfpvm6v5epkpjg00a866v9jw7s4e5cee94pk7mjsr…',
          invoiced: {
            description: 'coffee',
            vendor: 'corner café',
            amount_msat: 10000,
            created_at: 1795496566,
            expires_at: 1795503766,
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
      rune: 'VB0X3_BaXjiUvOnTXglYTPs2fD7RqxWUn8fT8JX9Spw9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      unique_id: '0',
    },
  },
  {
    command: 'checkrune',
    params: {
      rune: 'VB0X3_BaXjiUvOnTXglYTPs2fD7RqxWUn8fT8JX9Spw9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
      method: 'listpays',
    },
    result: { valid: true },
  },
  {
    command: 'showrunes',
    params: {
      rune: 'VB0X3_BaXjiUvOnTXglYTPs2fD7RqxWUn8fT8JX9Spw9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
    },
    result: {
      runes: [
        {
          rune: 'VB0X3_BaXjiUvOnTXglYTPs2fD7RqxWUn8fT8JX9Spw9MCZtZXRob2Q9a2V5c2VuZHxtZXRob2RebGlzdCZyYXRlPTYw',
          last_used: 1795496567.3,
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
      rune: 'hWwjJqA_WExCJ4ea5Q8BwBZHaJiii_-WBWs_7GLDr4w9MSZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1zdW1tYXJ5Jm1ldGhvZC9saXN0ZGF0YXN0b3Jl',
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
    result: { created_at: '1795496565.333000000', bytes_used: 0, bytes_max: 1000000, log: [] },
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
      url: 'http://127.0.0.1:33085/ui/#code=MQDqI3qkaC5NDZ5QNd6mAA',
      unique_id: '2',
      valid_until: 1798088567,
      link_valid_until: 1795496627,
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
                  title: 'string',
                  type: 'string',
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
          examples: [
            {
              name: 'addwebhook',
              params: [{ name: 'url', value: 'https://hooks.example/payments' }],
              result: {
                name: 'result',
                value: {
                  webhook_id: 'eea93adbcd8ab070e964f2a9cb50e516',
                  url: 'https://hooks.example/payments',
                  events: ['complete'],
                  created_at: 1795495563,
                  secret: 'whsec_O3XVZh32pHqhcaZKyt5NltUfY/xfTOeD14YcQBOjqAc=',
                },
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
    result: { database: '/home/you/.fulgurite/backup/fulgurite.sqlite3', bytes: 217088 },
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
      seed: 4657448039016882159n,
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
          odds: { balances_ppm: 784431, nodes_ppm: 960399, searched_ppm: 991998, unknown_hops: 2 },
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
      payment_preimage: 'be955b8b045e0d004d71071b94117df448f5077bd234d357d7b0e2e2139adb54',
      amount_msat: 20000000,
      amount_sent_msat: 20003020,
      failed_parts: 0,
      successful_parts: 1,
      simulated: true,
    },
  },
];
