/** PostgreSQL's code for a row that another one with the same unique value kept out. */
const UNIQUE_VIOLATION = "23505";

/** Whether a write failed because a value that must be unique is taken. */
export function isUniqueViolation(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === UNIQUE_VIOLATION;
}
