/** The types of SQL values and rows, which all of src/store uses. */

/** A value that SQLite can hold in a column. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** One row of an answer: values by column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** One row of an answer: values in the order of the query's columns. */
export type SqlColumns = readonly SqlValue[];
