/**
 * Seventeen runes of the secret 01 02 … 20. Numbers 0 to 13 were made with the reference library (runes 0.5
 * for Python), and all of them with a separate implementation of the formula in src/runes/rune.ts. Their
 * texts contain every operator, both kinds of time limits, escapes, UTF-8, and lengths at which the padding
 * of SHA-256 takes a separate block.
 */

export const SECRET = Uint8Array.from({ length: 32 }, (_, index) => index + 1);

export interface RuneVector {
  readonly name: string;
  /** The restrictions, exactly as in the rune. */
  readonly text: string;
  readonly rune: string;
}

const x = (count: number): string => 'x'.repeat(count);

export const VECTORS: readonly RuneVector[] = [
  { name: '0', text: '=0', rune: 'd2H_cx74pgyV7L7M8XnJuIe9_YGIK9EdgITITymUpTw9MA==' },
  {
    name: '1',
    text: '=1&method=getinfo',
    rune: 'HFxTiZ8XulmRJOlgq0BizdwId0VANQviVXVCJAemtFU9MSZtZXRob2Q9Z2V0aW5mbw==',
  },
  {
    name: '2',
    text: '=2&method^list|method^get|method=summary&method/listdatastore',
    rune: 'fPIdxZo9E0fY3FrE8sHToGOeh8gGL7NEqU5VOG2BwUQ9MiZtZXRob2RebGlzdHxtZXRob2ReZ2V0fG1ldGhvZD1zdW1tYXJ5Jm1ldGhvZC9saXN0ZGF0YXN0b3Jl',
  },
  {
    name: '3',
    text: '=3&time<1900000000',
    rune: 'm1Hgua8R3IgWwhekscrkgBN3pC-i0qSdaMyDv70hBdY9MyZ0aW1lPDE5MDAwMDAwMDA=',
  },
  {
    name: '4',
    text: '=4&id^02&method=keysend&pnameamountmsat<10001&rate=6',
    rune: 'jjY1bUnRdYiJoGkjH_QHNhPJWYp8t6KvSwA8I5tMQ6c9NCZpZF4wMiZtZXRob2Q9a2V5c2VuZCZwbmFtZWFtb3VudG1zYXQ8MTAwMDEmcmF0ZT02',
  },
  {
    name: '5',
    text: '=5&method=fetchinvoice&per=10sec&pnum<3',
    rune: 'moHBWQRQeZu8gvEsMTDKXe0lCaFq2A-DTEOssKHhYp89NSZtZXRob2Q9ZmV0Y2hpbnZvaWNlJnBlcj0xMHNlYyZwbnVtPDM=',
  },
  {
    name: '6',
    text: '=6&pnamelabel=a\\|b\\&c\\\\d',
    rune: 'r8A5rzizFNzW9cZa3Lm7kw-ZVDuvfFtdyehDQ-7X8zs9NiZwbmFtZWxhYmVsPWFcfGJcJmNcXGQ=',
  },
  {
    name: '7',
    text: '=7&parr0=lno1|parr0!',
    rune: '6VPu9hqi1eRSrLG7hPqyePOdS0Jj3aoqVK_aLEg3Ltg9NyZwYXJyMD1sbm8xfHBhcnIwIQ==',
  },
  {
    name: '8',
    text: '=8&comment#for the till, 2026',
    rune: 'oKJQecPHldIYe_9s_AbfZbHY0kBcCycYaU43-_p_0T09OCZjb21tZW50I2ZvciB0aGUgdGlsbCwgMjAyNg==',
  },
  {
    name: '9',
    text: '=9&method{m|method}x',
    rune: 'w2o0a_JK-ysIeNR-4nE4lYCpqjKqonlGFvhcsJcrGrQ9OSZtZXRob2R7bXxtZXRob2R9eA==',
  },
  {
    name: '10',
    text: '=10&method~route&method$s',
    rune: 'VHa2Ih97dXRKE67FqbBT7iG5GiFE_-CfBdYSElE_SkU9MTAmbWV0aG9kfnJvdXRlJm1ldGhvZCRz',
  },
  {
    name: '11',
    text: '=11&pinvinvstring_amount<50000',
    rune: 'hgoRoEpS4HPUL0Afj9bfLn965Lp3tJ5XwZXRiYHWcq49MTEmcGludmludnN0cmluZ19hbW91bnQ8NTAwMDA=',
  },
  {
    name: '12',
    text: `=12&note=${x(64)}`,
    rune: 'NMhuWmIGM8guuqN83kiprnvcAhZVI4DzUrtuucJF7jA9MTImbm90ZT14eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4',
  },
  {
    name: '13',
    text: '=13&note=é€',
    rune: '8Jf87qxbvpFWPpCE4rkzlcc22Oa-n1kqUYcjmgJ7Cms9MTMmbm90ZT3DqeKCrA==',
  },
  {
    name: '14',
    text: `=14&note=${x(55)}`,
    rune: 'XLslclA4i9ZrBCCyAXs8CWe4xy_Qt1rUwY6Dwd63pK89MTQmbm90ZT14eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4',
  },
  {
    name: '14n',
    text: `=14&note=${x(55)}&method=getinfo`,
    rune: '2LzFnQE95gF4XLfwU0l9SF4OPFlfaEMiGifkEzMRIZA9MTQmbm90ZT14eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4Jm1ldGhvZD1nZXRpbmZv',
  },
  {
    name: '1n',
    text: '=1&method=getinfo&time<1900000000',
    rune: '2kmTw6N0C1zcTwzVcxUas4Gew4TS1hM1TDzO_DgewpE9MSZtZXRob2Q9Z2V0aW5mbyZ0aW1lPDE5MDAwMDAwMDA=',
  },
];
