/** Currencies and the number of digits of their minor units (ISO 4217). */

const WITHOUT = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF';
const WITH_THREE = 'BHD IQD JOD KWD LYD OMR TND';
const WITH_FOUR = 'CLF UYW';
const WITH_TWO =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE ' +
  'CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD ' +
  'HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU ' +
  'MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG ' +
  'SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST ' +
  'XCD YER ZAR ZMW ZWL';

const DIGITS = new Map<string, number>();
for (const [codes, digits] of [
  [WITHOUT, 0],
  [WITH_TWO, 2],
  [WITH_THREE, 3],
  [WITH_FOUR, 4],
] as const) {
  for (const code of codes.split(' ')) DIGITS.set(code, digits);
}

/** Number of decimal digits of a currency's minor unit. Undefined for an unknown code. */
export function minorUnitDigits(code: string): number | undefined {
  return DIGITS.get(code);
}
