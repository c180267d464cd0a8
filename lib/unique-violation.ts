/** PostgreSQL's unique_violation. */
const UNIQUE_VIOLATION = "23505";

/** Whether a write failed because a unique value is taken. */
export function isUniqueViolation(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === UNIQUE_VIOLATION;
}
