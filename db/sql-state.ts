/** What PostgreSQL calls the outcomes that callers handle. */
export const SQL_STATE = {
  uniqueViolation: "23505",
  undefinedTable: "42P01",
  checkViolation: "23514",
  lockNotAvailable: "55P03",
  deadlock: "40P01",
  serializationFailure: "40001",
} as const;

/** The SQLSTATE of a failed statement, also when Drizzle has wrapped the error; undefined for other errors. */
export function sqlStateOf(error: unknown): unknown {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
}

/** Whether a write failed because a unique value is taken. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === SQL_STATE.uniqueViolation;
}
