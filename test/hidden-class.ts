/** Tells whether V8 keeps two objects in the same form, so that code that reads both can be fast. */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--allow-natives-syntax');
const haveSameMap = new Function('one', 'other', 'return %HaveSameMap(one, other)');
setFlagsFromString('--no-allow-natives-syntax');

/** Whether two objects have the same hidden class (`Map` in V8's sources). */
export const haveSameHiddenClass = (one: object, other: object): boolean => haveSameMap(one, other);
