import { isTransientState, isUnreachable } from "@/db/trouble";

/** The database's code for an error; "" = there is none, e.g. the connection was lost. */
export function sqlStateOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  const code = String(error.code);
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : "";
}

/** The database cannot be reached, or not for the moment; not a mistake in a statement or elsewhere. */
export function isDatabaseTrouble(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === "" ? isUnreachable(error) : isTransient(state);
}

/** PostgreSQL refuses the data itself. */
export function isAboutData(code: string): boolean {
  return /^2[23]/.test(code);
}

/**
 * A text has a character that PostgreSQL cannot hold, which is NUL (22021; 22P05 within JSON): a fault of who sent it. Drizzle
 * wraps what PostgreSQL said.
 */
export function isUnstorable(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return ["22021", "22P05"].includes(sqlStateOf(cause));
}

/** The database lacks space. It may still answer what writes nothing, and take one batch but not another. */
export function isDiskFull(code: string): boolean {
  return code === "53100";
}

/** Also without a state, because the connection was lost. Any other does not go away by waiting. */
export function isTransient(code: string): boolean {
  return code === "" || isTransientState(code);
}
