/**
 * Types of PostgreSQL, each with the type of its arrays. Their numbers are the same in every version, so the driver need not ask
 * each server for them on each new connection, which costs it 384 rows and the server some milliseconds. An array of another type
 * would come as text: a test looks through the database for one.
 */
export const ARRAY_TYPES: readonly (readonly [type: number, arrays: number])[] = [
  [16, 1000], // boolean
  [17, 1001], // bytea
  [18, 1002], // "char"
  [19, 1003], // name
  [20, 1016], // bigint
  [21, 1005], // smallint
  [23, 1007], // integer
  [25, 1009], // text
  [26, 1028], // oid
  [114, 199], // json
  [700, 1021], // real
  [701, 1022], // double precision
  [1043, 1015], // varchar
  [1042, 1014], // bpchar
  [1082, 1182], // date
  [1083, 1183], // time
  [1114, 1115], // timestamp
  [1184, 1185], // timestamptz
  [1186, 1187], // interval
  [1700, 1231], // numeric
  [2205, 2210], // regclass
  [2950, 2951], // uuid
  [3802, 3807], // jsonb
  [869, 1041], // inet
];
