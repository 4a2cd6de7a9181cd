/**
 * The published cases of the rune library of Core Lightning (ccan/rune/test/test_vectors.csv, 154 rows), transcribed:
 * the secret is 16 zero bytes. `passing` and `failing` are the values of a request, such as `f1=1,f2=3`.
 */

/** The secret of these runes. */
export const PUBLISHED_SECRET = new Uint8Array(16);

/** A rune made with the published secret, and requests to check it with. */
export interface PublishedRune {
  readonly text: string;
  readonly authcode: string;
  readonly passing: readonly string[];
  readonly failing: readonly string[];
}

/** Runes that belong to the secret. The last rune was derived from the previous one. */
export const PUBLISHED: readonly PublishedRune[] = [
  {
    text: '',
    authcode: '374708fff7719dd5979ec875d56cd2286f6d3cf7ec317a3b25632aab28ec37bb',
    passing: ['', 'f1=1', 'f1=var', 'f1=|&\\'],
    failing: [],
  },
  {
    text: '=1',
    authcode: '6035731a2cbb022cbeb67645aa0f8a26653d8cc454e0e087d4d19d282b8da4bd',
    passing: [],
    failing: [],
  },
  {
    text: '=2-1',
    authcode: '4520773407c9658646326fdffe685ffbc3c8639a080dae4310b371830a205cf1',
    passing: [],
    failing: [],
  },
  {
    text: 'f1!',
    authcode: '64a926b7185d7cf98e10a07dfc4e83d2a826896ebdb112ac964566fa2d50b464',
    passing: ['', 'f2=f1'],
    failing: ['f1=1', 'f1=var'],
  },
  {
    text: 'f1=v1',
    authcode: '745c6e39cd41ee9f8388af8ad882bae4ee4e8f6b373f7682cc64d8574551fa5f',
    passing: ['f1=v1'],
    failing: ['f1=v', 'f1=v1a', '', 'f2=f1'],
  },
  {
    text: 'f1/v1',
    authcode: 'c9236a6532bfa8e24bec9a66e96af3fb355f817770e79c5a81f6dd0b5ed20e47',
    passing: ['f1=v2', 'f1=v', 'f1=v1a'],
    failing: ['', 'f2=v1'],
  },
  {
    text: 'f1$v1',
    authcode: '71f2a1ec9631efc75b01db15fe1f025327ab467f8a83e6bfa7506da222adc5a2',
    passing: ['f1=v1', 'f1=2v1'],
    failing: ['f1=v1a', ''],
  },
  {
    text: 'f1^v1',
    authcode: '5b13dffbbd9f7b191b0557595d10b22c0acec0c567f8efeba1d7d047927d7bce',
    passing: ['f1=v1', 'f1=v1a'],
    failing: ['f1=2v1', ''],
  },
  {
    text: 'f1~v1',
    authcode: 'ccbe593b72e0ab29446e46796ccd0c775ecd7a327fcc9ddc00fd3910cdacca00',
    passing: ['f1=v1', 'f1=v1a', 'f1=2v1', 'f1=2v12'],
    failing: ['f1=1v2', ''],
  },
  {
    text: 'f1<v1',
    authcode: 'caff52cedb9241dc00aea7cefc2b89b0a7445b1a4e34c48a5a2b91d2fe76d31f',
    passing: [],
    failing: ['f1=1', 'f1=2', 'f1=v1', ''],
  },
  {
    text: 'f1<1',
    authcode: 'f9776db54fb54c8dd6af20a65a0f210a752a0ee4d1b0a0e7fd9d7ef65af76f84',
    passing: ['f1=0', 'f1=-10000'],
    failing: ['f1=1', 'f1=10000', 'f1=v1', ''],
  },
  {
    text: 'f1>v1',
    authcode: '2135748f1956d9dfa3c5b09ab6af9d6bb06a41c5bcf93d3f8105cb278af5ac56',
    passing: [],
    failing: ['f1=1', 'f1=2', 'f1=v1', ''],
  },
  {
    text: 'f1>1',
    authcode: '84e9991dd941bac97cc681eefec5dd7ac3668a4490ca6b0f19f0e79d2bb9c746',
    passing: ['f1=2', 'f1=10000'],
    failing: ['f1=1', 'f1=-10000', 'f1=0', 'f1=v1', ''],
  },
  {
    text: 'f1{11',
    authcode: 'b9653ad0dcad7e5ed183f98cdd7e616acd07a98cc66a107a67626290bf000236',
    passing: ['f1=0', 'f1=1', 'f1=\t', 'f1=/'],
    failing: ['f1=11', 'f1=111', 'f1=v1', 'f1=:', ''],
  },
  {
    text: 'f1}11',
    authcode: '8c1f6c7c39badc5dea850192a0a4c6e9dd96bf33d410adc5a08fc375b22a1a52',
    passing: ['f1=111', 'f1=v1', 'f1=:'],
    failing: ['f1=0', 'f1=1', 'f1=\t', 'f1=/', 'f1=11', ''],
  },
  {
    text: 'f1#11',
    authcode: '76bdd625de0e12058956e6c8a07cac58d7dc2253609a6bfb959f87cc094f3f0f',
    passing: ['f1=111', 'f1=v1', 'f1=:', 'f1=0', 'f1=1', 'f1=\t', 'f1=/', 'f1=11', ''],
    failing: [],
  },
  {
    text: 'f_with_underscores=v1',
    authcode: 'ee979e1f2c376d69923aab0e8e001111963af038bdce394ffd7ecdc9e7020a6e',
    passing: ['f_with_underscores=v1'],
    failing: ['f_with_underscores=v', 'f_with_underscores=v1a', '', 'f2=f_with_underscores'],
  },
  {
    text: 'f1=1|f2=3',
    authcode: '85c3643dc102f0a0d6f20eeb8c294092151688fae41ef7c8ec7272ab23918376',
    passing: ['f1=1', 'f1=1,f2=2', 'f2=3', 'f1=var,f2=3', 'f1=1,f2=3'],
    failing: ['', 'f1=2', 'f1=f1', 'f2=1', 'f2=f1'],
  },
  {
    text: 'f1=1|f2=3&f3~\\&\\|\\\\',
    authcode: '4b6e77056d4bada81bd42a4248b5d81adf4076b1388853255e69ced1a955e6f9',
    passing: ['f1=1,f3=&|\\', 'f2=3,f3=&|\\x'],
    failing: ['', 'f1=1', 'f2=3', 'f1=1,f2=3', 'f1=2,f3=&|\\', 'f2=2,f3=&|\\', 'f3=&|\\'],
  },
];

/** Texts that are not runes. */
export const PUBLISHED_MALFORMED: readonly string[] = [
  '!1',
  '/1',
  '^1',
  '$1',
  '~1',
  '<1',
  '>1',
  '}1',
  '{1',
  '=1-2&=3',
  '=1-2&=1-3',
  'f1"11',
  'f1&11',
  "f1'11",
  'f1(11',
  'f1)11',
  'f1*11',
  'f1+11',
  'f1-11',
  'f1.11',
  'f1:11',
  'f1;11',
  'f1?11',
  'f1[11',
  'f1\\11',
  'f1]11',
  'f1`11',
  'f1|11',
];

/** Runes that do not belong to the secret: authcode and text. */
export const PUBLISHED_FORGED: readonly (readonly [string, string])[] = [
  ['76bdd625de0e12058956e6c8a07cac58d7dc2253609a6bfb959f87cc094f3f0e', 'f1#11'],
  ['76bdd625de0e12058956e6c8a07cac58d7dc2253609a6bfb959f87cc094f3f0f', 'f1#11&a=1'],
];
